import { isDeepStrictEqual } from 'node:util'
import type { FieldDefinition, FieldSet } from '@kith/contract/field-definition'
import type { StoredValue } from '@kith/contract/field-type'
import { newId } from '@kith/contract/id'
import { type Issue, type Report, reportInto } from '@kith/contract/issue'
import { isObject } from '@kith/contract/raw-input'
import { parseRecordInput, type RecordInput } from '@kith/contract/record-input'
import { notOne } from '@kith/contract/reference-input'
import { refuseIfAny, refuseValue } from '@kith/contract/refusal'
import type { Resource } from '@kith/contract/resource'
import type { Change } from '../../audit/write.ts'
import type { Scope } from '../../scope/scope.ts'
import { findFields } from '../../storage/tables/custom-fields.ts'
import { freeExternalIds } from '../../storage/tables/external-ids.ts'
import { findExisting } from '../../storage/tables/links.ts'
import { insertMerge } from '../../storage/tables/merges.ts'
import type { StoredRecord } from '../../storage/tables/records.ts'
import { requireAbilities } from '../allow.ts'
import { type Changes, changedLabel, changedValues } from '../changes.ts'
import {
  checkClaims,
  checkRecordSize,
  claimsOf,
  findNamed,
  reportCleared,
  reportMissing,
  reportWrong,
} from '../check-input.ts'
import { type Expected, requireExpected, requireReadable } from '../expected.ts'
import { mergedIds } from '../external-ids.ts'
import { type Presented, presentWritten } from '../present.ts'
import { idInPath } from '../read.ts'
import { resolveLookups } from '../resolve-lookups.ts'
import { storeChanges, storeDeletions } from '../store.ts'
import { parseStored, presentValue, valuesIn } from '../stored-values.ts'
import { writing } from '../writing.ts'
import { lockMoving, moveToWinner } from './moves.ts'
import { nameOf, noteChanges } from './notes.ts'
import { lockParties, losersOf, type Parties, parseMerge } from './parties.ts'
import { takenValues } from './values.ts'

type Merged = Presented & { merge_id: string }

/** A merge whose input also names the winner. */
export function mergeRecords(scope: Scope, resource: Resource, input: unknown): Promise<Merged> {
  const { winner_id, ...body } = isObject(input) ? input : {}
  if (typeof winner_id !== 'string') refuseValue('winner_id', notOne('winner_id', resource.type))
  return mergeInto(scope, resource, { id: winner_id, body })
}

type Merging = { id: string; body: unknown; expected?: Expected; issues?: readonly Issue[] }

/**
 * Makes several records one. The winner keeps its id and what it has, takes over what it lacks, or what was chosen, and
 * everything that referred to the others; they are deleted. All of it can be undone for 30 days. Losers that are merged
 * into the winner already are skipped.
 */
export async function mergeInto(
  scope: Scope,
  resource: Resource,
  { id, body, expected, issues: found = [] }: Merging,
): Promise<Merged> {
  requireAbilities(scope, ['update', 'delete'])
  const winner_id = idInPath(resource, id)
  return writing(scope, async (inside, definitions) => {
    const issues: Issue[] = [...found]
    const report = reportInto(issues)
    const { named, attributes } = parseMerge(body, { resource, definitions }, report)
    await resolveLookups(inside, [{ input: named, report }])
    const losers = losersOf(named, winner_id, report)
    const inAttributes: Report = (path, message) => report(`attributes.${path}`, message)
    const fields = definitions[resource.type]
    const chosen = parseRecordInput(attributes, { resource, definitions, creating: false }, inAttributes)
    await resolveLookups(inside, [{ input: chosen, report: inAttributes }])
    const parties = await lockParties(inside, resource, { id, winner_id, losers, chosen })
    requireReadable(expected)
    const shown = async (merge_id: string): Promise<Merged> =>
      Object.assign(await presentWritten(inside, resource, { definitions, id: winner_id }), { merge_id })
    const isDone = issues.length === 0 && parties.losers.length === 0 && parties.issues.length === 0
    if (isDone && parties.latest !== undefined) return shown(parties.latest)
    await requireExpected(inside, resource, { expected, current: parties.winner, definitions })
    issues.push(...parties.issues)
    refuseIfAny(issues)
    const changes = await checkMerge(inside, resource, { ...parties, chosen, fields, report: inAttributes })
    refuseIfAny(issues)
    return shown(await storeMerge(inside, resource, { ...parties, changes, fields: fields.list }))
  })
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
  const checked = [{ input: chosen, report }]
  const existing = await findNamed(inside, resource, { checked, lookUp: findExisting })
  await reportMissing(inside, resource, { checked, existing })
  const held = new Set(all.flatMap((record) => claimsOf(valuesIn(record, fields.list)).map(nameOf)))
  const claims = claimsOf(values).filter((claim) => !held.has(nameOf(claim)))
  await checkClaims(inside, [{ claims, except: all.map((record) => record.id), report }])
  const isChosen = new Set([...chosen.values.keys()].map((field) => field.id))
  const others = (await findFields(inside, resource.type)).filter((field) => !isChosen.has(field.id))
  const label = changedLabel(resource, winner, chosen)
  const merged = new Map<FieldDefinition, StoredValue | null>([...takenValues(others, winner, losers), ...values])
  checkRecordSize(winner, { label, values: merged }, report)
  const external_ids = await mergedIds(inside, resource, { winner, losers, chosen: chosen.external_ids, report })
  return { label, references, links, values: merged, external_ids }
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

type Storing = Pick<Parties, 'winner' | 'losers'> & { changes: Changes; fields: readonly FieldDefinition[] }

async function storeMerge(
  inside: Scope,
  resource: Resource,
  { winner, losers, changes, fields }: Storing,
): Promise<string> {
  const now = inside.now()
  const loser_ids = losers.map((loser) => loser.id)
  const merging = { merge_id: newId(now.getTime()), winner_id: winner.id, loser_ids }
  const moving = await lockMoving(inside, resource, merging)
  const notes = noteChanges(resource, { winner, changes, fields })
  await insertMerge(
    inside,
    {
      ...{ id: merging.merge_id, resource: resource.type, winner_id: winner.id, actor_id: inside.actor.user_id },
      ...{ created_at: now.toISOString(), undone_at: null, changes: notes },
    },
    loser_ids,
  )
  await moveToWinner(inside, moving, merging)
  // Only one live record can hold an id.
  if (changes.external_ids) await freeExternalIds(inside, loser_ids)
  // The audit entry of the winner names the losers, and that of each loser the winner.
  const named = (record: StoredRecord) => ({ id: record.id, name: record[resource.label] ?? '' })
  const merged: Change = ['merged', null, losers.map(named)]
  await storeChanges(inside, resource, { current: winner, changes, fields, action: 'merge', more: [merged] })
  const mergedInto: Change = ['merged_into', null, named(winner)]
  await storeDeletions(inside, resource, { ids: loser_ids, merged: { into: winner.id, changes: [mergedInto] } })
  return merging.merge_id
}
