import { excerpt } from '@kith/contract/excerpt'
import { type FieldSettings, type Inverse, isFieldCode } from '@kith/contract/field-definition'
import type { FieldTypeName } from '@kith/contract/field-type-name'
import { fieldTypes } from '@kith/contract/field-types'
import { targetOf } from '@kith/contract/field-types/reference'
import type { Report } from '@kith/contract/issue'
import { FIELD_NAME_MAX } from '@kith/contract/limits'
import { suggestion } from '@kith/contract/nearest'
import { isObject } from '@kith/contract/raw-input'
import {
  attributeNames,
  EXTERNAL_IDS,
  INCLUDE_EXTERNAL_IDS,
  includeNames,
  type Resource,
  type Schema,
  withArchived,
} from '@kith/contract/resource'
import { camelCase, codeOfName } from '@kith/contract/resource-code'
import { line, readSent } from '@kith/contract/shape'
import { typesThat } from '../fields/options.ts'
import type { StoredField } from '../storage/tables/custom-fields.ts'

type ReferenceSettings = Pick<FieldSettings, 'target' | 'inverse'>

/** Target and inverse as they were sent: beside the settings, or among them as they are read. */
type TargetInput = { target?: unknown; inverse?: unknown; settings?: unknown }

/** The settings of a type without those of references, which are read here. */
export function withoutReference<S extends FieldSettings | null | undefined>(settings: S): S | FieldSettings {
  if (!isObject(settings)) return settings
  const { target: _target, inverse: _inverse, ...others } = settings
  return others
}

/** A part as it was sent, and where. */
function sentAt(sent: TargetInput, key: 'target' | 'inverse'): { path: string; value: unknown } {
  if (sent[key] !== undefined || !isObject(sent.settings)) return { path: key, value: sent[key] }
  return { path: `settings.${key}`, value: sent.settings[key] }
}

/** Reads the target and the inverse of a field. `before` is the field that changes; a new one needs a target. */
export function parseReference(
  sent: TargetInput,
  { schema, type, before }: { schema: Schema; type: FieldTypeName; before?: StoredField | undefined },
  report: Report,
): ReferenceSettings {
  const [target, inverse] = [sentAt(sent, 'target'), sentAt(sent, 'inverse')]
  if (fieldTypes[type].refersTo !== 'records') {
    for (const { path, value } of [target, inverse]) {
      const has = typesThat((one) => one.refersTo === 'records')
      if (value !== undefined && value !== null)
        report(path, `A ${type} field has no ${path}. Types that have: ${has}.`)
    }
    return {}
  }
  const of = before ? fixedTarget(target, before, report) : newTarget(target, schema, report)
  const resource = of === undefined ? undefined : withArchived(schema).get(of)
  const known = before?.settings.inverse ?? null
  if (inverse.value === undefined || !resource) return { target: of, inverse: known }
  if (inverse.value === null) return { target: of, inverse: null }
  return { target: of, inverse: parseInverse(inverse, { resource, known }, report) ?? known }
}

function fixedTarget({ path, value }: ReturnType<typeof sentAt>, before: StoredField, report: Report) {
  const target = targetOf(before)
  if (value !== undefined && value !== null && value !== target) {
    report(path, `The ${path} of a field never changes; it is ${target}.`)
  }
  return target
}

function newTarget({ path, value }: ReturnType<typeof sentAt>, schema: Schema, report: Report): string | undefined {
  const known = [...schema.keys()]
  const code = typeof value === 'string' ? value.trim() : undefined
  if (code !== undefined && schema.has(code)) return code
  if (code !== undefined && schema.archived.has(code))
    report(path, `The resource ${code} is archived. Restore it first.`)
  else if (value === undefined || value === null) {
    report(
      path,
      `The ${path} is required for a record field: the resource of its records. Accepted: ${known.join(', ')}.`,
    )
  } else {
    const near = code === undefined ? '' : suggestion(code, known)
    report(path, `The ${path} must be the code of a resource: ${known.join(', ')}.${near}`)
  }
  return undefined
}

const shapes = { name: line({ maxLength: FIELD_NAME_MAX }) } as const

function parseInverse(
  { path, value }: ReturnType<typeof sentAt>,
  { resource, known }: { resource: Resource; known: Inverse | null },
  report: Report,
): Inverse | undefined {
  if (!isObject(value)) {
    report(path, `The ${path} must be an object with a name, or null.`)
    return undefined
  }
  const { name } = readSent(value, shapes, report, { path, ignored: ['code'], whole: known === null })
  const shown = name ?? known?.name
  const sent = value.code ?? undefined
  if (shown === undefined) return undefined
  if (known) {
    if (sent !== undefined && sent !== known.code) {
      report(`${path}.code`, `The ${path}.code of a field never changes; it is ${known.code}.`)
    }
    return { code: known.code, name: shown }
  }
  const code = sent ?? codeOfName(shown)
  const made = sent === undefined ? ` It was made from the name: send an ${path}.code.` : ''
  if (typeof code !== 'string' || !isFieldCode(code)) {
    const rule =
      'must begin with a letter from a to z and go on with such letters, digits and underscores, at most 50 in all'
    report(`${path}.code`, `The ${path}.code ${rule}.${made}`)
  } else if (takenNames(resource).has(camelCase(code)) || takenNames(resource).has(`${camelCase(code)}Count`)) {
    report(`${path}.code`, `The ${resource.type} have the name ${excerpt(code)} already. Choose another code.${made}`)
  } else return { code, name: shown }
  return undefined
}

/** Every name that a resource has, in lowerCamelCase, with the inverses of archived fields. */
export function takenNames(resource: Resource): ReadonlySet<string> {
  const { type, schema, relations, filterables, links } = resource
  const inverses = [...withArchived(schema).values()].flatMap(({ allFields }) =>
    allFields.flatMap(({ settings }) => {
      const code = settings.target === type ? settings.inverse?.code : undefined
      return code === undefined ? [] : [code, `${code}_count`]
    }),
  )
  const counts = Object.values(resource.counts).map(({ attribute }) => attribute)
  const names = [
    ...['id', 'type', EXTERNAL_IDS, INCLUDE_EXTERNAL_IDS, 'match', 'lid', 'create'],
    ...[...attributeNames(resource), ...Object.keys(links), ...Object.keys(relations), ...filterables.keys()],
    ...[...includeNames(resource), ...counts, ...inverses],
  ]
  return new Set(names.map(camelCase))
}

/** The fields that refer to records of a resource. */
export function fieldsReferringTo(fields: readonly StoredField[], code: string): StoredField[] {
  return fields.filter((field) => fieldTypes[field.type].refersTo === 'records' && targetOf(field) === code)
}
