import { isNamespace } from '../external-ids.ts'
import type { FieldDefinition } from '../field-definition.ts'
import { targetOf } from '../field-types/reference.ts'
import { fieldTypes } from '../field-types.ts'
import { CUSTOM_FIELDS, type RelatedType, type Resource } from '../resource.ts'

/** The target of a column of an import. `by` is the unique field or external id that finds a record. */
export type ImportTarget =
  | { kind: 'id' }
  | { kind: 'label'; key: string }
  | { kind: 'reference' | 'links'; key: string; to: RelatedType; by?: string | undefined }
  | { kind: 'external_ids'; namespace: string }
  | { kind: 'field'; field: FieldDefinition; by?: string | undefined }

const EXTERNAL = 'external_ids.'

/** The target of a name in any letter case; undefined if there is none. */
export function parseTarget(text: string, resource: Resource): ImportTarget | undefined {
  const name = text.trim().toLowerCase()
  if (name === 'id') return { kind: 'id' }
  if (name === resource.label) return { kind: 'label', key: name }
  if (name.startsWith(EXTERNAL)) return externalTarget(name.slice(EXTERNAL.length))
  if (name.startsWith(CUSTOM_FIELDS)) return fieldTarget(name.slice(CUSTOM_FIELDS.length), resource)
  return namedTarget(name, resource)
}

function externalTarget(namespace: string): ImportTarget | undefined {
  return isNamespace(namespace) ? { kind: 'external_ids', namespace } : undefined
}

/** The part before the first dot, and the part after it. */
function splitName(name: string): { key: string; by: string | undefined } {
  const dot = name.indexOf('.')
  return dot === -1 ? { key: name, by: undefined } : { key: name.slice(0, dot), by: name.slice(dot + 1) }
}

/** The value of a field. Records are named by id, or by the key after the dot. */
function fieldTarget(name: string, resource: Resource): ImportTarget | undefined {
  const { key, by } = splitName(name)
  const field = resource.fields.byCode.get(key)
  if (!field) return undefined
  if (by === undefined) return { kind: 'field', field }
  const found = fieldTypes[field.type].refersTo && isMatch(resource, targetOf(field), by)
  return found ? { kind: 'field', field, by } : undefined
}

/** A reference or a list of links: by id, or by the key after the first dot. */
function namedTarget(name: string, resource: Resource): ImportTarget | undefined {
  const { key, by } = splitName(name)
  const found = namedIn(resource, key)
  if (!found) return undefined
  if (by === undefined) return { ...found, key }
  return isMatch(resource, found.to, by) ? { ...found, key, by } : undefined
}

/** Whether records that are referred to can be found by a key. */
function isMatch({ schema }: Resource, to: RelatedType, by: string): boolean {
  const target = schema.get(to)
  return target !== undefined && matchNames(target, by).includes(by)
}

function namedIn(resource: Resource, key: string) {
  const reference = Object.hasOwn(resource.references, key) ? resource.references[key] : undefined
  if (reference) return { kind: 'reference', to: reference.to } as const
  const links = Object.hasOwn(resource.links, key) ? resource.links[key] : undefined
  return links && ({ kind: 'links', to: links.to } as const)
}

/** In place of a unique field: records are found by their name. */
export const BY_NAME = 'name'

/** The keys that find a record: their name, the codes of unique fields, and `sent` if it is an external id. */
function matchNames(to: Resource, sent: string): string[] {
  // Names are compared without letter case, accents and legal forms.
  const name = to.label === BY_NAME ? [BY_NAME] : []
  const isExternal = sent.startsWith(EXTERNAL) && isNamespace(sent.slice(EXTERNAL.length))
  return [...uniqueCodes(to.fields.list), ...name, ...(isExternal ? [sent] : [])]
}

/** The codes of the fields whose values name one record. */
export function uniqueCodes(fields: readonly FieldDefinition[]): string[] {
  return fields.filter(({ unique, type }) => unique && fieldTypes[type].textLike).map(({ code }) => code)
}

/** Every target of a resource, for messages and menus. The namespaces of external ids are free. */
export function targetNames(resource: Resource): string[] {
  const namesOf = (key: string, to: RelatedType) => {
    const target = resource.schema.get(to)
    const keys = [...uniqueCodes(target?.fields.list ?? []), ...(target?.label === BY_NAME ? [BY_NAME] : [])]
    return [key, ...keys.map((by) => `${key}.${by}`)]
  }
  const named = Object.entries({ ...resource.references, ...resource.links })
  const related = named.flatMap(([key, { to }]) => namesOf(key, to))
  const fields = resource.fields.list.flatMap((field) => {
    return namesOf(CUSTOM_FIELDS + field.code, fieldTypes[field.type].refersTo ? targetOf(field) : '')
  })
  return [resource.label, ...related, ...fields, `${EXTERNAL}<namespace>`, 'id']
}

export function nameOfTarget(target: ImportTarget): string {
  switch (target.kind) {
    case 'id':
      return 'id'
    case 'label':
      return target.key
    case 'external_ids':
      return `${EXTERNAL}${target.namespace}`
    case 'field':
      return withKey(CUSTOM_FIELDS + target.field.code, target)
    default:
      return withKey(target.key, target)
  }
}

function withKey(name: string, { by }: { by?: string | undefined }): string {
  return by === undefined ? name : `${name}.${by}`
}

/** What a target writes, however it names a record. Two columns must not write the same. */
export function writtenBy(target: ImportTarget): string {
  return nameOfTarget('by' in target ? { ...target, by: undefined } : target)
}
