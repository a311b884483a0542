import { isDeepStrictEqual } from 'node:util'
import type { FieldDefinition, FieldSet } from '@kith/contract/field-definition'
import type { StoredValue } from '@kith/contract/field-type'
import { newId } from '@kith/contract/id'
import { type Issue, type Report, reportInto } from '@kith/contract/issue'
import { notOne, parseRecordInput, type RecordInput } from '@kith/contract/record-input'
import { refuseIfAny } from '@kith/contract/refusal'
import type { Resource } from '@kith/contract/resource'
import type { Change } from '../../audit/write.ts'
import type { Scope } from '../../scope/scope.ts'
import { findFields } from '../../storage/tables/custom-fields.ts'
import { freeExternalIds } from '../../storage/tables/external-ids.ts'
import type { Claim } from '../../storage/tables/field-values.ts'
import { findExisting } from '../../storage/tables/links.ts'
import type { RowLock } from '../../storage/tables/lock-rows.ts'
import { insertMerge } from '../../storage/tables/merges.ts'
import { loadStored, type StoredRecord } from '../../storage/tables/records.ts'
import { requireAbilities } from '../allow.ts'
import { type Changes, changedLabel, changedReferences, changedValues } from '../changes.ts'
import { checkClaims, claimsOf, findNamed, reportCleared, reportMissing, reportWrong } from '../check-input.ts'
import { claimedIds } from '../external-ids/check.ts'
import { mergedIds } from '../external-ids/merged.ts'
import { lockWhatIsRead, namedRows } from '../lock-what-is-read.ts'
import { type Presented, presentWritten } from '../present.ts'
import { checkRecordSize } from '../record-size.ts'
import { storeChanges, storeDeletions } from '../store.ts'
import { parseStored, presentValue, valuesIn } from '../stored-values.ts'
import { writing } from '../writing.ts'
import { parseMerge } from './input.ts'
import { mergedLinks } from './links.ts'
import { lockMoving, moveToWinner } from './moves.ts'
import { noteChanges } from './notes.ts'
import { takenReferences, takenValues } from './values.ts'

type Merged = Presented & { merge_id: string }

/**
 * Makes several records one. The winner keeps its id and what it has, takes over what it lacks, or what was chosen, and
 * everything that referred to the others; they are deleted. All of it can be undone for 30 days.
 */
export async function mergeRecords(scope: Scope, resource: Resource, input: unknown): Promise<Merged> {
  requireAbilities(scope, ['update', 'delete'])
  return writing(scope, async (inside, definitions) => {
    const issues: Issue[] = []
    const report = reportInto(issues)
    const { winner_id, loser_ids, attributes } = parseMerge(input, resource, report)
    const inAttributes: Report = (path, message) => report(`attributes.${path}`, message)
    const fields = definitions[resource.type]
    const chosen = parseRecordInput(attributes, { resource, fields, creating: false }, inAttributes)
    refuseIfAny(issues)
    const parties = await lockParties(inside, resource, { winner_id, loser_ids, chosen })
    const changes = await checkMerge(inside, resource, { ...parties, chosen, fields, report: inAttributes })
    refuseIfAny(issues)
    const merge_id = await storeMerge(inside, resource, { ...parties, changes })
    return Object.assign(await presentWritten(inside, resource, { definitions, id: winner_id }), { merge_id })
  })
}

type Requested = { winner_id: string; loser_ids: readonly string[]; chosen: RecordInput }

/** The records that become one, and what the winner will refer and be linked to. */
type Parties = Pick<Changes, 'references' | 'links'> & { winner: StoredRecord; losers: StoredRecord[] }

/** Locks the records, and before them what the winner takes over from the losers. */
async function lockParties(inside: Scope, resource: Resource, requested: Requested): Promise<Parties> {
  const claims = claimsOf(requested.chosen.values)
  const externalIds = claimedIds(requested.chosen.external_ids)
  const own: RowLock = { table: resource.type, ids: [requested.winner_id, ...requested.loser_ids], mode: 'alone' }
  return lockWhatIsRead(
    inside,
    () => readParties(inside, resource, requested),
    (parties) => ({ claims, externalIds, rows: [...namedRows(resource, parties), own] }),
  )
}

async function readParties(inside: Scope, resource: Resource, { winner_id, loser_ids, chosen }: Requested) {
  const rows = await loadStored(inside, resource, [winner_id, ...loser_ids])
  const byId = new Map(rows.map((row) => [row.id, row]))
  const winner = byId.get(winner_id)
  const issues: Issue[] = winner ? [] : [{ path: 'winner_id', message: notOne('winner_id', resource.type) }]
  loser_ids.forEach((id, index) => {
    const path = `loser_ids.${index}`
    if (!byId.has(id)) issues.push({ path, message: notOne(path, resource.type) })
  })
  refuseIfAny(issues)
  if (!winner) throw new Error('A missing winner was not reported.')
  const losers = rows.filter((row) => row.id !== winner_id)
  // Oldest first. Ids begin with the time of creation, so they break ties.
  losers.sort((a, b) => (a.created_at === b.created_at ? (a.id < b.id ? -1 : 1) : a.created_at < b.created_at ? -1 : 1))
  const references = new Map([...takenReferences(resource, winner, losers), ...chosen.references])
  return {
    winner,
    losers,
    references: changedReferences(winner, references),
    links: await mergedLinks(inside, resource, { winner, losers, chosen: chosen.links }),
  }
}

type Checking = Parties & { chosen: RecordInput; fields: FieldSet; report: Report }

/** What the merge changes of the winner. Everything wrong with what was chosen is reported. */
async function checkMerge(
  inside: Scope,
  resource: Resource,
  { winner, losers, references, links, chosen, fields, report }: Checking,
): Promise<Changes> {
  const all = [winner, ...losers]
  takeShown(chosen, all, report)
  const values = changedValues(parseStored(winner.custom_fields), chosen.values)
  reportCleared(values, report)
  const existing = await findNamed(inside, resource, { input: chosen, lookUp: findExisting })
  reportMissing(resource, { input: chosen, existing }, report)
  const held = new Set(all.flatMap((record) => claimsOf(valuesIn(record, fields.list)).map(nameOf)))
  const claims = claimsOf(values).filter((claim) => !held.has(nameOf(claim)))
  await checkClaims(inside, { claims, except: all.map((record) => record.id) }, report)
  const isChosen = new Set([...chosen.values.keys()].map((field) => field.id))
  const others = (await findFields(inside, resource.type)).filter((field) => !isChosen.has(field.id))
  const label = changedLabel(resource, winner, chosen)
  const merged = new Map<FieldDefinition, StoredValue | null>([...takenValues(others, winner, losers), ...values])
  checkRecordSize(winner, { label, values: merged }, report)
  const external_ids = await mergedIds(inside, resource, { winner, losers, chosen: chosen.external_ids, report })
  return { label, references, links, values: merged, external_ids }
}

function nameOf({ field, key }: Claim): string {
  return `${field.id} ${key}`
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

async function storeMerge(
  inside: Scope,
  resource: Resource,
  { winner, losers, changes }: Pick<Parties, 'winner' | 'losers'> & { changes: Changes },
): Promise<string> {
  const now = inside.now()
  const loser_ids = losers.map((loser) => loser.id)
  const merging = { merge_id: newId(now.getTime()), winner_id: winner.id, loser_ids }
  const moving = await lockMoving(inside, resource, merging)
  await insertMerge(
    inside,
    {
      ...{ id: merging.merge_id, resource: resource.type, winner_id: winner.id, actor_id: inside.actor.user_id },
      ...{ created_at: now.toISOString(), undone_at: null, changes: noteChanges(resource, winner, changes) },
    },
    loser_ids,
  )
  await moveToWinner(inside, moving, merging)
  // Only one live record can hold an id.
  if (changes.external_ids) await freeExternalIds(inside, loser_ids)
  // The audit entry of the winner names the losers, and that of each loser the winner.
  const named = (record: StoredRecord) => ({ id: record.id, name: record[resource.label] ?? '' })
  const merged: Change = ['merged', null, losers.map(named)]
  await storeChanges(inside, resource, { current: winner, changes, action: 'merge', more: [merged] })
  const mergedInto: Change = ['merged_into', null, named(winner)]
  await storeDeletions(inside, resource, { ids: loser_ids, action: 'merge', changes: [mergedInto] })
  return merging.merge_id
}
