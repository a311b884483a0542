import type { ExternalIds } from '@kith/contract/external-ids'
import type { FieldSet } from '@kith/contract/field-definition'
import { fieldTypes } from '@kith/contract/field-types'
import { Refusal } from '@kith/contract/refusal'
import { registry } from '@kith/contract/registry'
import { INCLUDE_EXTERNAL_IDS, isToMany, type Resource } from '@kith/contract/resource'
import { definitionsOf } from '../fields/definitions.ts'
import { listRecords } from '../records/list.ts'
import type { Presented, ResourceObject } from '../records/present.ts'
import { readRecord } from '../records/read.ts'
import { sizeOf, TOOL_ANSWER_MAX_BYTES } from '../records/write-records.ts'
import { inSnapshot, type Scope } from '../scope/scope.ts'

const ABOUT_MAX = 20
const NAMES_MAX = 50

type RecordText = { record: ResourceObject; title: string; text: string }

/** A record as text: its values by name, its relations, and the latest notes and tasks about it. */
export function writeRecord(scope: Scope, resource: Resource, id: string): Promise<RecordText> {
  return inSnapshot(scope, (inside) => writeRecordIn(inside, resource, id))
}

async function writeRecordIn(scope: Scope, resource: Resource, id: string): Promise<RecordText> {
  const include = [...Object.keys(resource.relations), INCLUDE_EXTERNAL_IDS]
  const raw = { include, fields: namesOfRelated(resource) }
  const presented = await readRecord(scope, resource, { id, asked: { raw, loose: false, issues: [] } })
  const [record] = presented.data
  if (!record) throw new Error('The record was read but not presented.')
  const definitions = await definitionsOf(scope)
  const title = labelOf(record)
  const text = [
    `# ${title} (${resource.one})`,
    ...valueLines(record, definitions[resource.type]),
    ...relationLines(resource, record, presented),
    ...externalIdLines(record),
    `- Created: ${record.attributes.created_at}, last changed: ${record.attributes.updated_at}`,
    ...(await aboutLines(scope, record, definitions.notes)),
  ].join('\n')
  return { record, title, text }
}

/** Loads only the names of related records. */
function namesOfRelated({ type, relations }: Resource): Record<string, string[]> {
  const types = Object.values(relations).flatMap(({ to }) => (to === type ? [] : to))
  return Object.fromEntries(types.map((to) => [to, [to === 'users' ? 'name' : registry[to].label]]))
}

function labelOf({ attributes }: ResourceObject): string {
  return String(attributes.name ?? attributes.title ?? '')
}

function valueLines({ attributes }: ResourceObject, fields: FieldSet): string[] {
  // A complete record has its values by code.
  const values = (attributes.custom_fields ?? {}) as Readonly<Record<string, unknown>>
  return fields.list.flatMap(({ code, name, type }) => {
    const shown = valueText(values[code])
    if (shown === '') return []
    return fieldTypes[type].multiline ? ['', `## ${name}`, shown, ''] : [`- ${name}: ${shown}`]
  })
}

function valueText(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (Array.isArray(value)) return value.map(valueText).join(', ')
  if (typeof value === 'object' && 'label' in value) return String(value.label)
  return typeof value === 'boolean' ? (value ? 'yes' : 'no') : String(value)
}

function relationLines(resource: Resource, record: ResourceObject, { included = [] }: Presented): string[] {
  const names = new Map(included.map((one) => [one.id, labelOf(one)]))
  return Object.entries(resource.relations).flatMap(([name, relation]) => {
    const linked = record.relationships?.[name]?.data ?? []
    const related = Array.isArray(linked) ? linked : [linked]
    if (related.length === 0) return []
    const shown = related.slice(0, NAMES_MAX).map(({ id, type }) => `${names.get(id)} [${type}/${id}]`)
    const more = related.length > NAMES_MAX ? ` and ${related.length - NAMES_MAX} more` : ''
    return [`- ${isToMany(relation) ? name : wordsOf(name)}: ${shown.join(', ')}${more}`]
  })
}

function externalIdLines({ attributes }: ResourceObject): string[] {
  // Read with externalIds.
  const ids = (attributes.external_ids ?? {}) as ExternalIds
  return Object.entries(ids).map(([namespace, own]) => `- ID in ${namespace}: ${own.slice(0, NAMES_MAX).join(', ')}`)
}

/** `accountOwner` as people read it. */
function wordsOf(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
}

/** The latest notes and tasks that are linked to the record. */
async function aboutLines(scope: Scope, { type, id }: ResourceObject, fields: FieldSet): Promise<string[]> {
  const about = [registry.notes, registry.tasks].filter((one) => type in one.relations)
  const lines: string[] = []
  for (const one of about) {
    const raw = { filter: { [type]: { $in: [id] } }, per_page: ABOUT_MAX }
    const { data } = await listWholeOrNamed(scope, one, raw)
    if (data.length > 0) lines.push('', `## Latest ${one.type}`)
    for (const record of data) {
      lines.push(`- ${labelOf(record)} [${one.type}/${record.id}], ${record.attributes.created_at}`)
      if (one.type === 'notes') lines.push(...valueLines(record, fields).map((line) => `  ${line}`))
    }
  }
  return lines
}

/** The complete records, or only their names if the records are too large for an answer. */
async function listWholeOrNamed(scope: Scope, resource: Resource, raw: Record<string, unknown>): Promise<Presented> {
  try {
    const listed = await listRecords(scope, resource, { raw, loose: false, issues: [] })
    if (sizeOf(listed.text) <= TOOL_ANSWER_MAX_BYTES / 2) return listed
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
  }
  const named = { ...raw, fields: [resource.label, 'created_at'] }
  return listRecords(scope, resource, { raw: named, loose: false, issues: [] })
}
