import type { FieldSet } from '@kith/contract/field-definition'
import { newId } from '@kith/contract/id'
import { type Issue, type Report, reportInto } from '@kith/contract/issue'
import { parseRecordInput, type RecordInput } from '@kith/contract/record-input'
import { refuseIfAny } from '@kith/contract/refusal'
import type { Resource } from '@kith/contract/resource'
import { auditMade } from '../audit/write.ts'
import { posting, type Scope } from '../scope/scope.ts'
import { addToCounts } from '../storage/tables/counts.ts'
import { insertValues, valueRows } from '../storage/tables/field-values.ts'
import { insertLinks } from '../storage/tables/links.ts'
import { insertRecords, type NewRecord, type RecordRow } from '../storage/tables/records.ts'
import { requireAbilities } from './allow.ts'
import { parseAsked, parseBody, type Sent } from './ask.ts'
import { checkClaims, checkNewValues, claimsOf, findNamed, lockClaims, reportMissing } from './check-input.ts'
import { nameKey, searchTexts } from './effects.ts'
import { type Presented, presentRecords } from './present.ts'
import { writingOne } from './writing.ts'

export async function createRecord(scope: Scope, resource: Resource, { body, asked }: Sent): Promise<Presented> {
  requireAbilities(scope, ['create'])
  return writingOne(scope, resource, async (inside, definitions) => {
    const issues: Issue[] = []
    const report = reportInto(issues)
    const answer = parseAsked(asked, { resource, definitions }, report)
    const raw = parseBody(body, report)
    const fields = definitions[resource.type]
    const input = raw && parseRecordInput(raw, { resource, fields, creating: true }, report)
    if (input) await checkNewRecord(inside, resource, { fields, input, report })
    refuseIfAny(issues)
    if (!input) throw new Error('A record was to be made without an input.')
    const row = await insertRecord(inside, resource, input)
    return presentRecords(inside, resource, { definitions, rows: [row], ...answer })
  })
}

async function checkNewRecord(
  inside: Scope,
  resource: Resource,
  { fields, input, report }: { fields: FieldSet; input: RecordInput; report: Report },
): Promise<void> {
  checkNewValues(fields.list, input, report)
  const claims = claimsOf(input.values)
  await lockClaims(inside, claims)
  reportMissing(resource, { input, existing: await findNamed(inside, resource, { input }) }, report)
  await checkClaims(inside, { claims }, report)
}

/** Stores a checked input as a new record, with its index, search texts, links, audit entry and counts. */
export async function insertRecord(inside: Scope, resource: Resource, input: RecordInput): Promise<RecordRow> {
  const now = inside.now()
  const id = newId(now.getTime())
  const created_at = now.toISOString()
  const values = [...input.values].flatMap(([field, value]) => (value === null ? [] : [[field, value] as const]))
  const label = input.label ?? ''
  const record: NewRecord = {
    id,
    label,
    name_key: nameKey(label),
    references: input.references,
    creator_id: inside.actor.user_id,
    creation_source: inside.actor.source === 'cli' ? 'import' : inside.actor.source,
    created_at,
    updated_at: created_at,
    custom_fields: JSON.stringify(Object.fromEntries(values.map(([field, value]) => [field.key, value]))),
  }
  const workspaceId = inside.workspace.id
  const posted = posting(inside)
  await insertRecords(posted, resource, [record])
  await insertValues(posted, valueRows(workspaceId, { id, created_at, values }))
  const texts = searchTexts(resource, { id, label, values })
  await posted.engine.search.put(posted.db, { workspaceId, table: resource.type }, texts)
  await insertLinks(posted, resource.type, linksOf(resource, id, input))
  await auditMade(posted, resource.type, id)
  await addToCounts(posted, resource.type, 1)
  return rowOf(resource, record)
}

/** The record as a read would return it. This transaction has checked that the records it refers to exist. */
function rowOf(resource: Resource, record: NewRecord): RecordRow {
  const { label, name_key: _, references, ...row } = record
  const shown = Object.keys(resource.references).map((column) => [column, references.get(column) ?? null])
  return { [resource.label]: label, ...Object.fromEntries(shown), ...row }
}

function linksOf(resource: Resource, from_id: string, input: RecordInput) {
  return [...input.links].flatMap(([key, ids]) => {
    const relation = resource.links[key]?.relation ?? key
    return [...new Set(ids)].map((to_id) => ({ from_id, relation, to_id }))
  })
}
