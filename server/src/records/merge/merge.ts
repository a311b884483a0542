import { isDeepStrictEqual } from 'node:util'
import type { Definitions, FieldDefinition } from '@kith/contract/field-definition'
import type { StoredValue } from '@kith/contract/field-type'
import { newId } from '@kith/contract/id'
import { type Issue, type Report, reportInto } from '@kith/contract/issue'
import { notOne, parseRecordInput, type RecordInput } from '@kith/contract/record-input'
import { refuseIfAny } from '@kith/contract/refusal'
import type { Resource } from '@kith/contract/resource'
import { type Change, writeAudit } from '../../audit/write.ts'
import type { Scope } from '../../scope/scope.ts'
import { addToCounts } from '../../storage/tables/counts.ts'
import { findAllFields } from '../../storage/tables/custom-fields.ts'
import { findExisting } from '../../storage/tables/links.ts'
import type { RowLock } from '../../storage/tables/lock-rows.ts'
import { insertMerge } from '../../storage/tables/merges.ts'
import { findRecord, loadStored, markAllDeleted, type StoredRecord } from '../../storage/tables/records.ts'
import { removeValuesOf } from '../../storage/tables/reindex.ts'
import { requireAbilities } from '../allow.ts'
import { auditChanges } from '../audit-changes.ts'
import { applyChanges, type Changes, isNothing } from '../changes.ts'
import { checkClaims, claimsOf, findNamed, keysOf, reportMissing, reportRequired, reportWrong } from '../check-input.ts'
import { type Presented, parseStored, presentRecords, presentValue } from '../present.ts'
import { checkRecordSize } from '../record-size.ts'
import { namedRows, settled } from '../settled.ts'
import { changedReferences, changedValues } from '../update.ts'
import { writing } from '../writing.ts'
import { parseMerge } from './input.ts'
import { mergedLinks } from './links.ts'
import { lockMoving, moveToWinner } from './moves.ts'
import { noteChanges } from './notes.ts'
import { takenReferences, takenValues } from './values.ts'

export type Merged = Presented & { merge_id: string }

/**
 * Makes several records one. The winner keeps its id and what it has, takes over what it lacks, or what was chosen, and
 * everything that referred to the others; they are deleted. All of it can be undone for 30 days.
 */
export async function mergeRecords(scope: Scope, resource: Resource, input: unknown): Promise<Merged> {
  requireAbilities(scope, ['update', 'delete'])
  const { row, definitions, merge_id } = await writing(scope, async (inside, definitions) => {
    const issues: Issue[] = []
    const report = reportInto(issues)
    const { winner_id, loser_ids, attributes } = parseMerge(input, resource, report)
    const inAttributes: Report = (path, message) => report(`attributes.${path}`, message)
    const fields = definitions[resource.type]
    const chosen = parseRecordInput(attributes, { resource, fields, creating: false }, inAttributes)
    refuseIfAny(issues)
    const parties = await lockParties(inside, resource, { winner_id, loser_ids, chosen })
    const changes = await checkMerge(inside, resource, { ...parties, chosen, definitions, report: inAttributes })
    refuseIfAny(issues)
    const merge_id = await storeMerge(inside, resource, { ...parties, changes })
    const row = await findRecord(inside, resource, winner_id)
    if (!row) throw new Error('A record into which others were just merged is not there.')
    return { row, definitions, merge_id }
  })
  const presented = await presentRecords(scope, resource, { definitions, rows: [row], include: [], fields: new Map() })
  return { ...presented, merge_id }
}

type Asked = { winner_id: string; loser_ids: readonly string[]; chosen: RecordInput }

/** The records that become one, and what the winner will refer and be linked to. */
type Parties = Pick<Changes, 'references' | 'links'> & { winner: StoredRecord; losers: StoredRecord[] }

/** The records that become one, and the checked changes of the winner. */
type CheckedMerge = Pick<Parties, 'winner' | 'losers'> & { changes: Changes }

/** Locks the records, and before them what the winner takes over from the losers. */
async function lockParties(inside: Scope, resource: Resource, asked: Asked): Promise<Parties> {
  const claims = claimsOf(asked.chosen.values)
  const own: RowLock = { table: resource.type, ids: [asked.winner_id, ...asked.loser_ids], mode: 'alone' }
  return settled(
    inside,
    () => readParties(inside, resource, asked),
    (parties) => ({ claims, rows: [...namedRows(resource, parties), own] }),
  )
}

async function readParties(inside: Scope, resource: Resource, { winner_id, loser_ids, chosen }: Asked) {
  const rows = await loadStored(inside, resource, [winner_id, ...loser_ids])
  const byId = new Map(rows.map((row) => [row.id, row]))
  const winner = byId.get(winner_id)
  const issues: Issue[] = winner ? [] : [{ path: 'winner_id', message: notOne('winner_id', resource.type) }]
  loser_ids.forEach((id, index) => {
    const path = `loser_ids.${index}`
    if (!byId.has(id)) issues.push({ path, message: notOne(path, resource.type) })
  })
  refuseIfAny(issues)
  if (!winner) throw new Error('A problem of the input was not reported.')
  const losers = rows.filter((row) => row.id !== winner_id)
  // Ids begin with the moment of creation, so that they break the tie as time would.
  losers.sort((a, b) => (a.created_at === b.created_at ? (a.id < b.id ? -1 : 1) : a.created_at < b.created_at ? -1 : 1))
  const references = new Map([...takenReferences(resource, winner, losers), ...chosen.references])
  return {
    winner,
    losers,
    references: changedReferences(winner, references),
    links: await mergedLinks(inside, resource, { winner, losers, chosen: chosen.links }),
  }
}

/** What the merge changes of the winner. Everything wrong with what was chosen is reported. */
async function checkMerge(
  inside: Scope,
  resource: Resource,
  {
    winner,
    losers,
    references,
    links,
    chosen,
    definitions,
    report,
  }: Parties & { chosen: RecordInput; definitions: Definitions; report: Report },
): Promise<Changes> {
  const all = [winner, ...losers]
  const stored = parseStored(winner.custom_fields)
  takeShown(chosen, all, report)
  const values = changedValues(stored, chosen.values)
  for (const [field, value] of values) if (field.required && value === null) reportRequired(field, report)
  const existing = await findNamed(inside, resource, { input: chosen, lookUp: findExisting })
  reportMissing(resource, { input: chosen, existing }, report)
  const held = new Set(all.flatMap((record) => heldKeys(definitions[resource.type].list, record)))
  const fresh = claimsOf(values).filter(({ field, key }) => !held.has(`${field.id} ${key}`))
  await checkClaims(inside, { claims: fresh, except: all.map((record) => record.id) }, report)
  const decided = new Set([...chosen.values.keys()].map((field) => field.id))
  const fields = (await findAllFields(inside)).filter(
    (field) => field.entity_type === resource.type && !decided.has(field.id),
  )
  const label = chosen.label !== undefined && chosen.label !== winner[resource.label] ? chosen.label : undefined
  const merged = new Map<FieldDefinition, StoredValue | null>([...takenValues(fields, winner, losers), ...values])
  checkRecordSize(winner, { label, values: merged }, report)
  return { label, references, links, values: merged }
}

/** A value that one of the records shows may be chosen as it is, though its field would refuse it today. */
function takeShown(chosen: RecordInput, all: readonly StoredRecord[], report: Report): void {
  for (const [field, wrong] of chosen.wrong) {
    const held = all.map((record) => parseStored(record.custom_fields)[field.key])
    const match = held.find((stored) => isDeepStrictEqual(wrong.sent, presentValue(stored, field)))
    if (match === undefined) reportWrong(wrong, report)
    else chosen.values.set(field, match)
  }
}

function heldKeys(fields: readonly FieldDefinition[], record: StoredRecord): string[] {
  const stored = parseStored(record.custom_fields)
  return fields.flatMap((field) => {
    const value = stored[field.key]
    return value === undefined || !field.unique ? [] : keysOf(field, value).map((key) => `${field.id} ${key}`)
  })
}

async function storeMerge(
  inside: Scope,
  resource: Resource,
  { winner, losers, changes }: CheckedMerge,
): Promise<string> {
  const now = inside.now()
  const id = newId(now.getTime())
  const loserIds = losers.map((loser) => loser.id)
  const merge = { id, resource: resource.type, winner_id: winner.id, actor_id: inside.actor.user_id }
  const moving = await lockMoving(inside, resource, { winner_id: winner.id, loser_ids: loserIds })
  await insertMerge(
    inside,
    { ...merge, created_at: now.toISOString(), undone_at: null, changes: noteChanges(resource, winner, changes) },
    loserIds,
  )
  if (!isNothing(changes)) await applyChanges(inside, resource, { current: winner, changes, entries: [] })
  await moveToWinner(inside, moving, { merge_id: id, winner_id: winner.id, loser_ids: loserIds })
  await markAllDeleted(inside, resource, { ids: loserIds, at: now.toISOString() })
  await removeValuesOf(inside, loserIds)
  await inside.engine.search.removeAll(inside.db, { workspaceId: inside.workspace.id, table: resource.type }, loserIds)
  await addToCounts(inside, resource.type, -loserIds.length)
  await auditMerge(inside, resource, { winner, losers, changes })
  return id
}

/** The winner's history tells what it took over, and that of each loser where it went. */
async function auditMerge(inside: Scope, resource: Resource, { winner, losers, changes }: CheckedMerge): Promise<void> {
  const named = (record: StoredRecord) => ({ id: record.id, name: record[resource.label] ?? '' })
  const merged: Change = ['merged', null, losers.map(named)]
  const entry = { action: 'merge', resource: resource.type } as const
  await writeAudit(inside, [
    { ...entry, record_id: winner.id, changes: [merged, ...auditChanges(resource, winner, changes)] },
    ...losers.map((loser) => ({
      ...entry,
      record_id: loser.id,
      name: loser[resource.label],
      changes: [['merged_into', null, named(winner)] as const],
    })),
  ])
}
