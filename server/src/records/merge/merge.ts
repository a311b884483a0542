import { isDeepStrictEqual } from 'node:util'
import type { FieldDefinition, FieldSet } from '@kith/contract/field-definition'
import type { StoredValue } from '@kith/contract/field-type'
import { fieldTypes } from '@kith/contract/field-types'
import { newId } from '@kith/contract/id'
import { type Issue, type Report, reportInto } from '@kith/contract/issue'
import { MERGE_MAX } from '@kith/contract/limits'
import { newMerge } from '@kith/contract/merge'
import type { RecordInput } from '@kith/contract/parsed-input'
import { isObject } from '@kith/contract/raw-input'
import { parseRecordInput } from '@kith/contract/record-input'
import { parseReference } from '@kith/contract/reference-input'
import { notOne } from '@kith/contract/reference-name'
import { refuseIfAny, refuseValue } from '@kith/contract/refusal'
import type { Resource } from '@kith/contract/resource'
import { readSent } from '@kith/contract/shape'
import type { Change } from '../../journal/write.ts'
import { requireAbilities } from '../../scope/permissions.ts'
import { requireResource } from '../../scope/read-input.ts'
import type { Scope } from '../../scope/scope.ts'
import { findFields } from '../../storage/tables/custom-fields.ts'
import { findExisting, type RowLock } from '../../storage/tables/links.ts'
import { insertMerge, loadLinksFrom, loadMergedInto } from '../../storage/tables/merges.ts'
import { loadStored, type RecordRow, type StoredRecord } from '../../storage/tables/records.ts'
import {
  type Changes,
  changedLabel,
  changedReferences,
  changedValues,
  type LinkChange,
  linkChanges,
} from '../changes.ts'
import {
  checkClaims,
  checkRecordSize,
  claimsOf,
  findNamed,
  foldReferences,
  reportCleared,
  reportMissing,
  reportWrong,
} from '../check-input.ts'
import { type Precondition, requireExpected, requireReadable } from '../expected.ts'
import { claimedIds, mergedIds } from '../external-ids.ts'
import { followersToWinner } from '../follows.ts'
import { resolveLookups } from '../lookups.ts'
import { type PresentedRecords, presentWritten } from '../present.ts'
import { idInPath } from '../read.ts'
import { partsToWinner } from '../record-parts.ts'
import { storeChanges, storeDeletions } from '../store.ts'
import { idsIn, parseStored, presentValue, valuesIn } from '../stored-values.ts'
import { plansToWinner } from '../tasks/merged-plans.ts'
import { resolveAlone } from '../write-set.ts'
import { lockWhatIsRead, namedRows, writing } from '../write-targets.ts'
import { mergedMessage, refuseMissing } from './merged-into.ts'
import { lockMoving, moveToWinner } from './moves.ts'
import { nameOf, noteChanges, takenReferences, takenValues } from './winner.ts'

type MergedRecord = PresentedRecords & { merge_id: string }

/** A merge whose input also names the winner. */
export function mergeRecords(scope: Scope, resource: Resource, input: unknown): Promise<MergedRecord> {
  const { winner_id, ...body } = isObject(input) ? input : {}
  if (typeof winner_id !== 'string') refuseValue('winner_id', notOne('winner_id', resource.type))
  return mergeInto(scope, resource, { id: winner_id, body })
}

/**
 * Merges several records into one. The winner keeps its id and values, and takes over missing or chosen values and all
 * references to the losers, which are deleted. Everything can be undone for 30 days. Losers that are already merged
 * into the winner are skipped.
 */
export async function mergeInto(
  scope: Scope,
  asked: Resource,
  {
    id,
    body,
    expected,
    issues: found = [],
  }: { id: string; body: unknown; expected?: Precondition; issues?: readonly Issue[] },
): Promise<MergedRecord> {
  requireAbilities(scope, ['update', 'delete'])
  const winner_id = idInPath(asked, id)
  return writing(scope, async (inside) => {
    const resource = requireResource(inside.schema, asked.type)
    const issues: Issue[] = [...found]
    const report = reportInto(issues)
    const { named, attributes } = parseMerge(body, resource, report)
    await resolveLookups(inside, [{ input: named, report }])
    const losers = losersOf(named, winner_id, report)
    const inAttributes: Report = (path, message) => report(`attributes.${path}`, message)
    const fields = resource.fields
    const chosen = parseRecordInput(attributes, { resource, creating: false, createsMissing: true }, inAttributes)
    await resolveAlone(inside, { input: chosen, report: inAttributes, issues })
    const parties = await lockParties(inside, resource, { id, winner_id, losers, chosen })
    requireReadable(expected)
    const isDone = issues.length === 0 && parties.losers.length === 0 && parties.issues.length === 0
    if (isDone && parties.latest !== undefined) {
      return { ...(await presentWritten(inside, resource, parties.winner)), merge_id: parties.latest }
    }
    await requireExpected(inside, resource, { expected, current: parties.winner })
    issues.push(...parties.issues)
    refuseIfAny(issues)
    const changes = await checkMerge(inside, resource, { ...parties, chosen, fields, report: inAttributes })
    refuseIfAny(issues)
    const { merge_id, row } = await storeMerge(inside, resource, { ...parties, changes, fields: fields.list })
    return { ...(await presentWritten(inside, resource, row)), merge_id }
  })
}

/** The changes of the winner. All problems with chosen values are reported. */
async function checkMerge(
  inside: Scope,
  resource: Resource,
  {
    winner,
    losers,
    references,
    links,
    chosen,
    fields,
    report,
  }: Parties & { chosen: RecordInput; fields: FieldSet; report: Report },
): Promise<Changes> {
  const all = [winner, ...losers]
  takeShown(chosen, all, report)
  const checked = [{ input: chosen, report, current: winner }]
  const existing = await findNamed(inside, { checked, lookUp: findExisting })
  await reportMissing(inside, { checked, existing })
  foldReferences(chosen, report)
  dropMerged(chosen, all)
  const values = changedValues(winner, chosen.values)
  reportCleared(values, report)
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

/** A value that one of the records has may be chosen, even if its field would refuse it today. */
function takeShown(chosen: RecordInput, all: readonly StoredRecord[], report: Report): void {
  for (const [field, wrong] of chosen.wrong) {
    const held = all.map((record) => parseStored(record.custom_fields)[field.key])
    const match = held.find((stored) => isDeepStrictEqual(wrong.sent, presentValue(stored, field)))
    if (match === undefined) reportWrong(wrong, report)
    else chosen.values.set(field, match)
  }
}

/** A record cannot refer to itself after a merge: what names a merged record is cleared. */
function dropMerged({ values }: RecordInput, all: readonly StoredRecord[]): void {
  const merged = new Set(all.map(({ id }) => id))
  for (const [field, value] of values) {
    if (!fieldTypes[field.type].refersTo || value === null) continue
    const left = idsIn(value).filter((id) => !merged.has(id))
    values.set(field, left.length === 0 ? null : left)
  }
}

async function storeMerge(
  inside: Scope,
  resource: Resource,
  {
    winner,
    losers,
    changes,
    fields,
  }: Pick<Parties, 'winner' | 'losers'> & { changes: Changes; fields: readonly FieldDefinition[] },
): Promise<{ merge_id: string; row: RecordRow }> {
  const now = inside.now()
  const loser_ids = losers.map((loser) => loser.id)
  const moving = await lockMoving(inside, resource, { winner_id: winner.id, loser_ids })
  const notes = noteChanges(resource, { winner, changes, fields })
  // The audit entry of each loser names the winner, and that of the winner the losers.
  const named = (record: StoredRecord) => ({ id: record.id, name: record[resource.label] ?? '' })
  const mergedInto: Change = ['merged_into', null, named(winner)]
  // First, because they cause the other changes, and because only one live record can hold an external id.
  const merged = { into: winner.id, changes: [mergedInto] }
  const deleted = await storeDeletions(inside, resource, { ids: loser_ids, merged })
  const [cause = ''] = deleted.values()
  const merging = { merge_id: newId(now.getTime()), winner_id: winner.id, loser_ids, cause }
  await insertMerge(
    inside,
    {
      id: merging.merge_id,
      resource: resource.type,
      winner_id: winner.id,
      actor_id: inside.actor.user_id,
      created_at: now.toISOString(),
      undone_at: null,
      changes: notes,
    },
    deleted,
  )
  await moveToWinner(inside, resource, moving, merging)
  await partsToWinner(inside, merging)
  await followersToWinner(inside, merging)
  await plansToWinner(inside, resource, merging)
  const more: Change[] = [['merged', null, losers.map(named)]]
  const row = await storeChanges(inside, resource, { current: winner, changes, fields, action: 'merge', more, cause })
  return { merge_id: merging.merge_id, row }
}

type MergeRequest = {
  /** The winner's id as it was sent. */
  id: string
  winner_id: string
  /** The ids of the losers, and their positions in the request. */
  losers: ReadonlyMap<string, number>
  chosen: RecordInput
}

/** The records to merge, and the references and links that the winner will have. */
type Parties = Pick<Changes, 'references' | 'links'> & {
  winner: StoredRecord
  losers: StoredRecord[]
  /** The problems with other losers. */
  issues: readonly Issue[]
  /** The latest merge by which some of the losers are already part of the winner. */
  latest: string | undefined
}

/** Locks the records, and before them the records that the winner takes over from the losers. */
function lockParties(inside: Scope, resource: Resource, requested: MergeRequest): Promise<Parties> {
  const { winner_id, losers, chosen } = requested
  const claims = claimsOf(chosen.values)
  const externalIds = claimedIds(chosen.external_ids)
  const own: RowLock = { of: resource.number, ids: [winner_id, ...losers.keys()], mode: 'alone' }
  return lockWhatIsRead(
    inside,
    () => readParties(inside, resource, requested),
    (parties) => {
      const values = [...chosen.values, ...parties.losers.flatMap((one) => valuesIn(one, resource.fields.references))]
      return { claims, externalIds, rows: [...namedRows(resource, { ...parties, values }), own] }
    },
  )
}

async function readParties(inside: Scope, resource: Resource, requested: MergeRequest): Promise<Parties> {
  const { id, winner_id, chosen } = requested
  const rows = await loadStored(inside, resource, [winner_id, ...requested.losers.keys()])
  const winner = rows.find((row) => row.id === winner_id)
  if (!winner) return refuseMissing(inside, resource, id)
  const losers = rows.filter((row) => row.id !== winner_id)
  // Oldest first. Ids begin with the time of creation, so they break ties.
  losers.sort((a, b) => (a.created_at === b.created_at ? (a.id < b.id ? -1 : 1) : a.created_at < b.created_at ? -1 : 1))
  const references = new Map([...takenReferences(resource, winner, losers), ...chosen.references])
  return {
    winner,
    losers,
    ...(await readMissing(inside, resource, { ...requested, found: new Set(rows.map((row) => row.id)) })),
    references: changedReferences(winner, references),
    links: await mergedLinks(inside, resource, { winner, losers, chosen: chosen.links }),
  }
}

/** Losers that do not exist: those that are already part of the winner, and the problems with the rest. */
async function readMissing(
  inside: Scope,
  resource: Resource,
  { winner_id, losers, found }: MergeRequest & { found: ReadonlySet<string> },
): Promise<Pick<Parties, 'issues' | 'latest'>> {
  const missing = [...losers].filter(([id]) => !found.has(id))
  const merged = await loadMergedInto(
    inside,
    resource,
    missing.map(([id]) => id),
  )
  const issues: Issue[] = []
  for (const [id, place] of missing) {
    const now = merged.find((one) => one.old_id === id)?.id
    const path = `loser_ids.${place}`
    if (now === undefined) issues.push({ path, message: notOne(path, resource.type) })
    else if (now !== winner_id) issues.push({ path, message: mergedMessage(resource, id, now) })
  }
  const own = merged.filter((one) => one.id === winner_id).map((one) => one.merge_id)
  return { issues, latest: own.sort().at(-1) }
}

/** The winner's links to others. A chosen list replaces its own; other lists are joined with those of the losers. */
async function mergedLinks(
  inside: Scope,
  resource: Resource,
  {
    winner,
    losers,
    chosen,
  }: {
    winner: StoredRecord
    losers: readonly StoredRecord[]
    chosen: ReadonlyMap<string, readonly string[]>
  },
): Promise<LinkChange[]> {
  if (Object.keys(resource.links).length === 0) return []
  const changes = [...((await linkChanges(inside, resource, [{ id: winner.id, links: chosen }])).get(winner.id) ?? [])]
  const links = await loadLinksFrom(inside, [winner.id, ...losers.map((loser) => loser.id)])
  for (const [key, { relation }] of Object.entries(resource.links)) {
    if (chosen.has(key)) continue
    const all = links.filter((link) => link.relation === relation)
    const own = new Set(all.filter((link) => link.from_id === winner.id).map((link) => link.to_id))
    const added = [...new Set(all.map((link) => link.to_id))].filter((id) => !own.has(id))
    if (added.length > 0) changes.push({ relation, added, removed: [] })
  }
  return changes
}

/** The records to merge into a winner. `attributes` is the body of an update: values instead of the defaults. */
type MergeInput = { named: NamedLosers; attributes: Record<string, unknown> }

/** The losers as named in `links`. Names other than ids must be looked up. */
type NamedLosers = Pick<RecordInput, 'lookups' | 'references' | 'links'>

/** Parses the body of a merge. Invalid parts are reported and left empty. */
function parseMerge(body: unknown, resource: Resource, report: Report): MergeInput {
  if (!isObject(body)) {
    report('body', 'The request body must be a JSON object.')
    return { named: noLosers(), attributes: {} }
  }
  const sent = readSent({ loser_ids: [], ...body }, newMerge({ loser: {}, changes: {} }), report)
  return { named: parseLosers(sent.loser_ids, resource, report), attributes: parseAttributes(sent.attributes, report) }
}

const LOSERS = 'loser_ids'

function noLosers(): NamedLosers {
  return { lookups: [], references: new Map(), links: new Map() }
}

function parseLosers(raw: unknown, resource: Resource, report: Report): NamedLosers {
  const named = noLosers()
  if (!Array.isArray(raw) || raw.length === 0 || raw.length >= MERGE_MAX) {
    report(
      LOSERS,
      `The loser_ids must be a list of 1 to ${MERGE_MAX - 1} IDs: at most ${MERGE_MAX} records are merged at once.`,
    )
    return named
  }
  const ids: string[] = raw.map((item, index) => {
    const path = `${LOSERS}.${index}`
    const by = parseReference(item, { schema: resource.schema, to: resource.type, path }, report)
    if (by === undefined || typeof by === 'string') return by ?? ''
    const put = (id: string) => {
      ids[index] = id
    }
    named.lookups.push({ to: resource.type, path, by, put })
    return ''
  })
  named.links.set(LOSERS, ids)
  return named
}

/** The ids of the losers, each with its first position in the list. Empty ids are already reported. */
function losersOf({ links }: NamedLosers, winner_id: string, report: Report): Map<string, number> {
  const losers = new Map<string, number>()
  for (const [index, id] of (links.get(LOSERS) ?? []).entries()) {
    if (id === winner_id) report(`${LOSERS}.${index}`, 'A record cannot be merged into itself.')
    else if (id !== '' && !losers.has(id)) losers.set(id, index)
  }
  return losers
}

function parseAttributes(raw: unknown, report: Report): Record<string, unknown> {
  if (raw === undefined || raw === null) return {}
  if (isObject(raw)) return raw
  report('attributes', 'The attributes must be an object, as in an update.')
  return {}
}
