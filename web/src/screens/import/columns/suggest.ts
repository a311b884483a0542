import type { FieldDefinition } from '@kith/contract/field-definition'
import type { FieldTypeName } from '@kith/contract/field-type-name'
import { fieldTypes } from '@kith/contract/field-types'
import { targetOf } from '@kith/contract/field-types/reference'
import { parseId } from '@kith/contract/id'
import {
  BY_NAME,
  type ImportTarget,
  nameOfTarget,
  parseTarget,
  targetNames,
  uniqueCodes,
} from '@kith/contract/import/target'
import type { RelatedType, Resource } from '@kith/contract/resource'
import { presetFor } from '../presets/presets.ts'
import type { FileScan } from '../reading/scan.ts'
import { isJoined, namePartOf, namesOf, plainName, relatedTypeOf } from './column-names.ts'

/** For each column of the file its target, or null where it is left out. */
export type ColumnTargets = readonly (string | null)[]

/** Recognises the columns of a file: as an export of a known program, or by their names and cells. */
export function suggestTargets(scanned: FileScan, resource: Resource): ColumnTargets {
  const { header, contents, columns } = scanned
  const targets: (string | null)[] = header.map(() => null)
  const assign = (index: number, wanted: string | undefined) => {
    const target = wanted === undefined ? undefined : parseTarget(wanted, resource)
    if (!target || targets[index] !== null) return
    const name = nameOfTarget(target)
    if (targets.some((one) => sharesValue(one, name)) && !isJoined(target)) return
    targets[index] = name
  }
  const preset = presetFor(header, resource.type)
  if (preset) {
    for (const { index, target } of preset.targetsIn(header)) assign(index, target)
    return targets
  }
  const { label } = resource
  for (const [index, name] of header.entries()) {
    // A second column of the name would be joined to the first.
    const column = { name, type: contents[index]?.type, values: columns[index]?.values ?? null }
    const found = byName(column, resource) ?? byUsualName(column, resource)
    if (found !== label || !targets.includes(label)) assign(index, found)
  }
  if (resource.type === 'people' && !targets.includes(label)) {
    for (const [index, name] of header.entries()) if (namePartOf(name) !== undefined) assign(index, label)
  }
  for (const [index, content] of contents.entries()) assign(index, byContent(content.type, targets, resource))
  for (const [index, { values }] of columns.entries()) assign(index, byOptions(values, targets, resource))
  return targets
}

/** `company_id` and `company_id.domains` write the same value. */
export function sharesValue(one: string | null, other: string): boolean {
  const key = (name: string) => name.split('.', /^(custom_fields|external_ids)\./.test(name) ? 2 : 1).join('.')
  return one !== null && key(one) === key(other)
}

type NamedColumn = { name: string; type: FieldTypeName | undefined; values: readonly string[] | null }

/** By a target, or the code or name of a field. */
function byName(column: NamedColumn, resource: Resource): string | undefined {
  const exact = parseTarget(column.name, resource)
  if (exact) return nameOfTarget(exact)
  const wanted = plainName(column.name)
  const { list } = resource.fields
  const field = list.find(({ code, name }) => [code, name].some((one) => plainName(one) === wanted))
  if (!field) return undefined
  const to = fieldTypes[field.type].refersTo && targetOf(field)
  return to === undefined ? `custom_fields.${field.code}` : byReference(field, to, column, resource)
}

/** Records are found by their ids, by unique values and by their names, members by their addresses. */
function byReference(
  { code }: Pick<FieldDefinition, 'code'>,
  to: RelatedType,
  { type, values }: NamedColumn,
  { schema }: Resource,
): string | undefined {
  const name = `custom_fields.${code}`
  const isOfIds = values !== null && values.length > 0 && values.every((value) => parseId(value) !== undefined)
  if (isOfIds || (to === 'users' && type === 'email')) return name
  const fields = schema.get(to)?.fields.list ?? []
  const unique = uniqueCodes(fields.filter((field) => field.type === type))
  if (unique.length === 1) return `${name}.${unique[0]}`
  const isName = schema.get(to)?.label === BY_NAME && !(type && TOLD_BY_CELLS.has(type))
  return isName ? `${name}.${BY_NAME}` : undefined
}

/** By the names in other programs, unless the cells have other content. */
function byUsualName({ name, type }: NamedColumn, resource: Resource): string | undefined {
  const wanted = plainName(name)
  const found = targetNames(resource).find((target) => namesOf(target, resource).includes(wanted))
  const target = found === undefined ? undefined : parseTarget(found, resource)
  return target && fits(target, type) ? found : undefined
}

/** Members are found by their addresses, not by their names. Addresses are no name, title or website. */
function fits(target: ImportTarget, type: FieldTypeName | undefined): boolean {
  const to = relatedTypeOf(target)
  if (to === 'users') return type === 'email'
  if (type !== 'email') return true
  if (to !== undefined) return 'by' in target && target.by !== undefined
  return target.kind === 'field' && target.field.type === 'email'
}

const TOLD_BY_CELLS: ReadonlySet<FieldTypeName> = new Set(['email', 'phone', 'domain', 'link'])

/** The only field that holds such values, if no column has it yet. */
function byContent(type: FieldTypeName | undefined, taken: ColumnTargets, resource: Resource): string | undefined {
  if (type === undefined || !TOLD_BY_CELLS.has(type)) return undefined
  const fields = resource.fields.list.filter((field) => field.type === type)
  const [field] = fields
  if (!field || fields.length > 1) return undefined
  const name = `custom_fields.${field.code}`
  return taken.includes(name) ? undefined : name
}

/** The only field that has all these values among its options, if no column has it yet. */
function byOptions(values: readonly string[] | null, taken: ColumnTargets, resource: Resource): string | undefined {
  if (!values || values.length === 0) return undefined
  const fields = resource.fields.list.filter(({ type, options }) => {
    const labels = new Set(options.map(({ label }) => label.toLowerCase()))
    return fieldTypes[type].hasOptions && values.every((value) => labels.has(value.toLowerCase()))
  })
  const [field] = fields
  if (!field || fields.length > 1 || taken.includes(`custom_fields.${field.code}`)) return undefined
  return `custom_fields.${field.code}`
}
