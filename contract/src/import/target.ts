import { isNamespace } from '../external-ids.ts'
import type { FieldDefinition } from '../field-definition.ts'
import { fieldTypes } from '../field-types.ts'
import { type RelatedType, type Resource, resourceIn } from '../resource.ts'

/** The target of a column of an import. `by` is the unique field or external id that finds a record. */
export type ImportTarget =
  | { kind: 'id' }
  | { kind: 'label'; key: string }
  | { kind: 'reference' | 'links'; key: string; to: RelatedType; by?: string | undefined }
  | { kind: 'external_ids'; namespace: string }
  | { kind: 'field'; field: FieldDefinition }

const FIELDS = 'custom_fields.'
const EXTERNAL = 'external_ids.'

/** The target of a name in any letter case; undefined if there is none. */
export function parseTarget(text: string, resource: Resource): ImportTarget | undefined {
  const name = text.trim().toLowerCase()
  if (name === 'id') return { kind: 'id' }
  if (name === resource.label) return { kind: 'label', key: name }
  if (name.startsWith(EXTERNAL)) return externalTarget(name.slice(EXTERNAL.length))
  if (name.startsWith(FIELDS)) {
    const field = resource.fields.byCode.get(name.slice(FIELDS.length))
    return field && { kind: 'field', field }
  }
  return namedTarget(name, resource)
}

function externalTarget(namespace: string): ImportTarget | undefined {
  return isNamespace(namespace) ? { kind: 'external_ids', namespace } : undefined
}

/** A reference or a list of links: by id, or by the key after the first dot. */
function namedTarget(name: string, resource: Resource): ImportTarget | undefined {
  const dot = name.indexOf('.')
  const key = dot === -1 ? name : name.slice(0, dot)
  const by = dot === -1 ? undefined : name.slice(dot + 1)
  const found = namedIn(resource, key)
  if (!found) return undefined
  if (by === undefined) return { ...found, key }
  return found.to !== 'users' && matchNames(resourceIn(resource.schema, found.to), by).includes(by)
    ? { ...found, key, by }
    : undefined
}

function namedIn(resource: Resource, key: string) {
  const reference = Object.hasOwn(resource.references, key) ? resource.references[key] : undefined
  if (reference) return { kind: 'reference', to: reference.to } as const
  const links = Object.hasOwn(resource.links, key) ? resource.links[key] : undefined
  return links && ({ kind: 'links', to: links.to } as const)
}

/** The keys that find a record: the codes of unique fields, and `sent` if it is an external id. */
function matchNames(to: Resource, sent: string): string[] {
  const isExternal = sent.startsWith(EXTERNAL) && isNamespace(sent.slice(EXTERNAL.length))
  return [...uniqueCodes(to.fields.list), ...(isExternal ? [sent] : [])]
}

/** The codes of the fields whose values name one record. */
export function uniqueCodes(fields: readonly FieldDefinition[]): string[] {
  return fields.filter(({ unique, type }) => unique && fieldTypes[type].textLike).map(({ code }) => code)
}

/** Every target of a resource, for messages and menus. The namespaces of external ids are free. */
export function targetNames(resource: Resource): string[] {
  const named = { ...resource.references, ...resource.links }
  const related = Object.entries(named).flatMap(([key, { to }]) =>
    to === 'users'
      ? [key]
      : [key, ...uniqueCodes(resourceIn(resource.schema, to).fields.list).map((code) => `${key}.${code}`)],
  )
  const fields = resource.fields.list.map(({ code }) => `${FIELDS}${code}`)
  return [resource.label, ...related, ...fields, `${EXTERNAL}<namespace>`, 'id']
}

/** The name of a target. */
export function nameOfTarget(target: ImportTarget): string {
  switch (target.kind) {
    case 'id':
      return 'id'
    case 'label':
      return target.key
    case 'external_ids':
      return `${EXTERNAL}${target.namespace}`
    case 'field':
      return `${FIELDS}${target.field.code}`
    default:
      return target.by === undefined ? target.key : `${target.key}.${target.by}`
  }
}
