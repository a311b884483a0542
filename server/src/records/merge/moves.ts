import type { FieldDefinition } from '@kith/contract/field-definition'
import type { StoredValue } from '@kith/contract/field-type'
import { fieldTypes } from '@kith/contract/field-types'
import { mostOf } from '@kith/contract/field-types/reference'
import { type Resource, type ResourceName, resourceIn } from '@kith/contract/resource'
import type { Change } from '../../journal/write.ts'
import type { Scope } from '../../scope/scope.ts'
import type { ExternalClaim } from '../../storage/tables/external-ids.ts'
import type { Claim } from '../../storage/tables/field-values.ts'
import { insertLinks, type RowLock } from '../../storage/tables/links.ts'
import {
  insertMoves,
  type LinkRow,
  loadLinked,
  loadLinksTo,
  loadMoved,
  loadMovedIds,
  loadMovedLinks,
  loadReferring,
  type Merge,
  type Move,
  type MovedLink,
  moveBack,
  type ReferringRow,
  replaceReferences,
  stayWithWinners,
  touchLinked,
  unlinkWinner,
} from '../../storage/tables/merges.ts'
import type { StoredRecord } from '../../storage/tables/records.ts'
import { type Changes, type LinkChange, linkKey, momentAfter } from '../changes.ts'
import { claimsOf, keysOf } from '../check-input.ts'
import type { NotedIds } from '../external-ids.ts'
import { finishWrite, movedEntry } from '../store.ts'
import { goneIn, idsIn, parseStored, type StoredValues, valuesIn, withoutDeleted } from '../stored-values.ts'
import { lockWhatIsRead } from '../write-targets.ts'
import {
  loadValues,
  loadValuesBack,
  lockOfValues,
  type MovedBack,
  moveValues,
  moveValuesBack,
  type ReferringValues,
} from './moved-values.ts'

/** `cause` is the change of the first loser. */
type MergeIds = { merge_id: string; winner_id: string; loser_ids: readonly string[]; cause: string }

/** A column by which records of a resource refer to the merged ones. */
type ReferringColumn = { referring: Resource; column: string }

/** The references and links to the losers of a merge, from live and deleted records. */
export type MovedReferences = {
  references: (ReferringColumn & { rows: ReferringRow[] })[]
  values: ReferringValues[]
  links: LinkRow[]
}

/**
 * Locks all records that refer or link to the losers. The losers are already locked, so no new references can appear.
 */
export function lockMoving(
  inside: Scope,
  resource: Resource,
  merging: Pick<MergeIds, 'winner_id' | 'loser_ids'>,
): Promise<MovedReferences> {
  const read = async () => ({
    references: await loadColumns(resource, ({ referring, column }) =>
      loadReferring(inside, { resource: referring, column, ids: merging.loser_ids }),
    ),
    values: await loadValues(inside, resource, {
      ids: merging.loser_ids,
      except: [merging.winner_id, ...merging.loser_ids],
    }),
    links: await loadLinksTo(inside, merging.loser_ids, merging.winner_id),
  })
  return lockWhatIsRead(inside, read, ({ references, values, links }) => ({
    rows: [
      ...references.map(lockOf),
      ...values.map(lockOfValues),
      ...links.map(
        ({ from_type, from_id }): RowLock => ({
          of: resourceIn(inside.schema, from_type).number,
          ids: [from_id],
          mode: 'change',
        }),
      ),
    ],
  }))
}

/** The rows that refer to the merged records, for each column that can. */
async function loadColumns(resource: Resource, load: (column: ReferringColumn) => Promise<ReferringRow[]>) {
  const loaded: MovedReferences['references'] = []
  for (const referring of resource.schema.values()) {
    for (const [column, { to }] of Object.entries(referring.references)) {
      if (to === resource.type) loaded.push({ referring, column, rows: await load({ referring, column }) })
    }
  }
  return loaded
}

function lockOf({ referring, rows }: MovedReferences['references'][number]): RowLock {
  return { of: referring.number, ids: rows.map((row) => row.id), mode: 'change' }
}

/** Moves all references and links from the losers to the winner, with a few statements per column. */
export async function moveToWinner(
  inside: Scope,
  resource: Resource,
  { references, values, links }: MovedReferences,
  merging: MergeIds,
): Promise<void> {
  for (const one of references) await moveReferences(inside, one, merging)
  for (const one of values) await moveValues(inside, resource, one, merging)
  await moveLinks(inside, links, merging)
}

async function moveReferences(
  inside: Scope,
  { referring, column, rows }: MovedReferences['references'][number],
  { merge_id, winner_id, loser_ids, cause }: MergeIds,
): Promise<void> {
  if (rows.length === 0) return
  const moves = rows.map(({ id, from_id }): Move => {
    return { resource: referring.type, relation: column, record_id: id, from_id, added: 1 }
  })
  await stayWithWinners(inside, { type: referring.type, column, ids: rows.map(({ id }) => id), to: [winner_id] })
  await insertMoves(inside, merge_id, moves)
  const at = momentAfter(inside, rows)
  await replaceReferences(inside, { resource: referring, column, ids: loser_ids }, { by: winner_id, at })
  await finishReferences(inside, referring, {
    rows,
    at,
    cause,
    changeOf: ({ from_id }) => [column, from_id, winner_id],
  })
}

/** Completes a move of references: an entry for each live record. `cause` is the change that moved them. */
export async function finishReferences(
  inside: Scope,
  { type }: Resource,
  moved: {
    rows: readonly ReferringRow[]
    at: string
    cause: string | undefined
    changeOf: (row: ReferringRow) => Change
  },
): Promise<void> {
  const { at, cause } = moved
  const live = moved.rows.filter((row) => row.deleted_at === null)
  const entries = live.map((row) => movedEntry(type, { record_id: row.id, at, cause }, [moved.changeOf(row)]))
  await finishWrite(inside, type, { entries })
}

/** The links to the losers stay, hidden, for a later undo. */
async function moveLinks(
  inside: Scope,
  rows: readonly LinkRow[],
  { merge_id, winner_id, cause }: MergeIds,
): Promise<void> {
  const moves = rows.map(({ from_type, from_id, relation, to_id, held }): Move => {
    return { resource: from_type, relation, record_id: from_id, from_id: to_id, added: held === 1 ? 0 : 1 }
  })
  await insertMoves(inside, merge_id, moves)
  const added = moves.filter((move) => move.added === 1)
  for (const [type, links] of Map.groupBy(added, (move) => move.resource)) {
    // A record may be linked to several losers.
    const fresh = new Map(links.map(({ record_id, relation }) => [`${record_id} ${relation}`, { record_id, relation }]))
    const toWinner = [...fresh.values()].map(({ record_id, relation }) => ({
      from_id: record_id,
      relation,
      to_id: winner_id,
    }))
    await insertLinks(inside, type, toWinner)
    const changeOf = (key: string, own: readonly MovedLink[]): Change => [key, losersIn(own), [winner_id]]
    await finishLinks(inside, type, { merge_id, winner_id, links, held: false, cause, changeOf })
  }
}

function losersIn(links: readonly MovedLink[]): string[] {
  return links.map((link) => link.from_id)
}

/**
 * Completes a move of links: a new time and an audit entry for each live record that the merge linked to its winner.
 */
async function finishLinks(
  inside: Scope,
  type: ResourceName,
  moved: {
    merge_id: string
    winner_id: string
    links: readonly MovedLink[]
    /** Whether to include records that were already linked to the winner. */
    held: boolean
    cause: string | undefined
    /** The change of an attribute, including its links to losers. */
    changeOf: (key: string, links: readonly MovedLink[]) => Change
  },
): Promise<void> {
  const { merge_id, winner_id, links, held, cause, changeOf } = moved
  const linked = { merge_id, type, winner_id, held }
  const touched = await loadLinked(inside, linked)
  const at = momentAfter(inside, touched)
  if (touched.length > 0) await touchLinked(inside, linked, at)
  const ids = new Set(touched.map((row) => row.id))
  const byRecord = Map.groupBy(
    links.filter((link) => ids.has(link.record_id)),
    (link) => link.record_id,
  )
  const entries = [...byRecord].map(([record_id, own]) => {
    const byRelation = [...Map.groupBy(own, (link) => link.relation)]
    const changes = byRelation.map(([relation, some]) =>
      changeOf(linkKey(resourceIn(inside.schema, type), relation), some),
    )
    return movedEntry(type, { record_id, at, cause }, changes)
  })
  await finishWrite(inside, type, { entries })
}

/** The references and links that a merge moved to its winner and that were not moved elsewhere since. */
type MovingBack = {
  merge: Merge
  references: MovedReferences['references']
  values: MovedBack[]
  /** The records, live or deleted, whose links to the losers were moved. */
  linking: { type: ResourceName; ids: string[] }[]
}

/** Locks the records that move back, and the merge itself last: expiry locks only the merge. */
export function lockMovingBack(
  inside: Scope,
  resource: Resource,
  findMerge: () => Promise<Merge>,
): Promise<MovingBack> {
  const read = async () => readMovingBack(inside, resource, await findMerge())
  return lockWhatIsRead(inside, read, ({ merge, references, values, linking }) => ({
    rows: [
      ...references.map(lockOf),
      ...values.map(lockOfValues),
      ...linking.map(({ type, ids }): RowLock => ({ of: resourceIn(inside.schema, type).number, ids, mode: 'change' })),
      { of: 'merges', ids: [merge.id], mode: 'alone' },
    ],
  }))
}

async function readMovingBack(inside: Scope, resource: Resource, merge: Merge): Promise<MovingBack> {
  const { id: merge_id, winner_id } = merge
  const references = await loadColumns(resource, ({ referring, column }) =>
    loadMoved(inside, { merge_id, resource: referring, column, winner_id }),
  )
  const linking: MovingBack['linking'] = []
  for (const { type, links } of inside.schema.values()) {
    if (!Object.values(links).some(({ to }) => to === resource.type)) continue
    linking.push({ type, ids: await loadMovedIds(inside, merge_id, type) })
  }
  return { merge, references, values: await loadValuesBack(inside, resource, merge), linking }
}

/** Moves all references and links of the merge back to the losers. `cause` is the change of the first of them. */
export async function moveFromWinner(
  inside: Scope,
  { merge, references, values, linking }: MovingBack,
  cause: string | undefined,
): Promise<void> {
  const { id: merge_id, winner_id, loser_ids } = merge
  for (const { referring, column, rows } of references) {
    if (rows.length === 0) continue
    const at = momentAfter(inside, rows)
    await moveBack(inside, { merge_id, resource: referring, column, winner_id }, at)
    await finishReferences(inside, referring, {
      rows,
      at,
      cause,
      changeOf: ({ from_id }) => [column, winner_id, from_id],
    })
  }
  for (const one of values) await moveValuesBack(inside, one, { winner_id, loser_ids, cause })
  for (const { type } of linking) {
    const links = await loadMovedLinks(inside, merge_id, type)
    // The links to the losers become visible again. A link to the winner is removed only if the merge added it.
    const changeOf = (key: string, own: readonly MovedLink[]): Change => {
      return [key, own.some((link) => link.added === 1) ? [winner_id] : [], losersIn(own)]
    }
    await finishLinks(inside, type, { merge_id, winner_id, links, held: true, cause, changeOf })
    await unlinkWinner(inside, merge_id, { type, winnerId: winner_id })
  }
}

/** The changes of the winner by a merge, before and after. Values by the id of their field. */
type Notes = {
  label?: [before: string, after: string]
  references: Record<string, [before: string | null, after: string | null]>
  values: Record<string, [before: StoredValue | null, after: StoredValue | null]>
  links: readonly LinkChange[]
  /** Merges of earlier versions have none. */
  external_ids?: NotedIds
  /** The keys of the unique values that it held. Merges of earlier versions have none. */
  held?: readonly string[]
}

/** The changes of the winner by a merge, as JSON, for a later undo. */
export function noteChanges(
  resource: Resource,
  { winner, changes, fields }: { winner: StoredRecord; changes: Changes; fields: readonly FieldDefinition[] },
): string {
  const stored = parseStored(winner.custom_fields)
  const notes: Notes = {
    ...(changes.label === undefined ? {} : { label: [winner[resource.label] ?? '', changes.label] }),
    references: Object.fromEntries(
      [...changes.references].map(([column, id]) => [column, [winner.stored[column] ?? null, id]]),
    ),
    values: Object.fromEntries(
      [...changes.values].map(([field, value]) => [field.id, [stored[field.key] ?? null, value]]),
    ),
    links: changes.links,
    ...(changes.external_ids ? { external_ids: notedPart(changes.external_ids) } : {}),
    held: claimsOf(valuesIn(winner, fields)).map(nameOf),
  }
  return JSON.stringify(notes)
}

/** The key of a unique value. */
export function nameOf({ field, key }: Claim): string {
  return `${field.id} ${key}`
}

function notedPart({ removed, added }: NotedIds): NotedIds {
  const named = ({ namespace, external_id }: ExternalClaim) => ({ namespace, external_id })
  return { removed: removed.map(named), added: added.map(named) }
}

/** Only noteChanges writes them. */
export function readNotes({ changes }: Merge): Notes {
  return JSON.parse(changes) as Notes
}

/** The changes that undo a merge for its winner. Values that were changed after the merge stay. */
export function reversed(
  resource: Resource,
  { notes, winner, fields }: { notes: Notes; winner: StoredRecord; fields: readonly FieldDefinition[] },
): Omit<Changes, 'links'> {
  const { label, references, values } = notes
  const stored = parseStored(winner.custom_fields)
  const back = new Map<FieldDefinition, StoredValue | null>()
  for (const field of fields) {
    const noted = values[field.id]
    if (!noted) continue
    const now = stored[field.key] ?? null
    const value = valueBefore(field, noted, now)
    if (!isSame(value, now)) back.set(field, value)
  }
  const same = Object.entries(references).filter(([column, [, after]]) => winner.stored[column] === after)
  return {
    label: label && winner[resource.label] === label[1] ? label[0] : undefined,
    references: new Map(same.map(([column, [before]]) => [column, before])),
    values: back,
  }
}

function valueBefore(
  field: FieldDefinition,
  [before, after]: [StoredValue | null, StoredValue | null],
  now: StoredValue | null,
): StoredValue | null {
  if (isSame(now, after)) return existing(field, before)
  if (!fieldTypes[field.type].list || fieldTypes[field.type].refersTo) return now
  // In a list that changed later: remove the items that the merge added, add the items that it removed.
  const added = listIn(after).filter((value) => !listIn(before).includes(value))
  const removed = listIn(before).filter((value) => !listIn(after).includes(value))
  const own = listIn(now).filter((value) => !added.includes(value))
  return existing(field, [...own, ...removed.filter((value) => !own.includes(value))])
}

/** Without options that were deleted meanwhile. */
function existing(field: FieldDefinition, value: StoredValue | null): StoredValue | null {
  return value === null || (Array.isArray(value) && value.length === 0) ? null : withoutDeleted(field, value)
}

function isSame(a: StoredValue | null, b: StoredValue | null): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}

/**
 * The values that a winner takes from the losers, oldest first, for fields that were not chosen: empty fields are
 * filled, and lists are joined up to the limit of the field.
 */
export function takenValues(
  fields: readonly FieldDefinition[],
  winner: StoredRecord,
  losers: readonly StoredRecord[],
): Map<FieldDefinition, StoredValue | null> {
  const own = parseStored(winner.custom_fields)
  const others = losers.map((loser) => parseStored(loser.custom_fields))
  const taken = new Map<FieldDefinition, StoredValue | null>()
  for (const field of fields) {
    if (fieldTypes[field.type].refersTo) {
      const value = takenIds(field, winner, losers)
      if (value) taken.set(field, value.length === 0 ? null : value)
      continue
    }
    const values = [own, ...others].flatMap((stored) => stored[field.key] ?? [])
    const value = fieldTypes[field.type].list ? joined(field, [own, ...others]) : values[0]
    if (value !== undefined && JSON.stringify(value) !== JSON.stringify(own[field.key])) taken.set(field, value)
  }
  return taken
}

/**
 * The ids of a reference field after a merge, or undefined if they stay. Hidden ones of the losers do not count, and a
 * record never comes to refer to itself.
 */
function takenIds(
  field: FieldDefinition,
  winner: StoredRecord,
  losers: readonly StoredRecord[],
): readonly string[] | undefined {
  const merged = new Set([winner, ...losers].map(({ id }) => id))
  const [own, ...others] = [winner, ...losers].map((record) => {
    return { ids: idsIn(parseStored(record.custom_fields)[field.key]), gone: goneIn(record) }
  })
  if (!own) return undefined
  const kept = own.ids.filter((id) => !merged.has(id))
  const isFilled = own.ids.some((id) => !own.gone?.has(id))
  // A single reference to one of the merged records is cleared, and not filled in.
  if (!field.multiple && isFilled) return kept.length < own.ids.length ? kept : undefined
  const offered = others.flatMap(({ ids, gone }) => ids.filter((id) => !gone?.has(id) && !merged.has(id)))
  const shown = kept.filter((id) => !own.gone?.has(id))
  const added = offered.filter((id, index) => !kept.includes(id) && offered.indexOf(id) === index)
  const room = Math.max(0, mostOf(field) - (field.multiple ? kept.length : shown.length))
  const all = [...(field.multiple ? kept : shown), ...added.slice(0, room)]
  if (added.length === 0 || room === 0) return kept.length < own.ids.length ? kept : undefined
  return all
}

/** The winner's values first. Values that differ only in spelling are equal. */
function joined(field: FieldDefinition, all: readonly StoredValues[]): StoredValue | undefined {
  const values: string[] = []
  const known = new Set<string | number>()
  all.forEach((stored, index) => {
    for (const value of listIn(stored[field.key])) {
      const [key = value] = keysOf(field, [value])
      if (known.has(key) && index > 0) continue
      // The winner keeps its own values, even if the limit of the field is lower now.
      if (index > 0 && values.length >= field.max_values) return
      known.add(key)
      values.push(value)
    }
  })
  return values.length === 0 ? undefined : values
}

function listIn(stored: StoredValue | null | undefined): readonly string[] {
  return Array.isArray(stored) ? stored : []
}

/** References that the winner lacks, from the oldest loser that has them. Hidden ones do not count. */
export function takenReferences(
  resource: Resource,
  winner: StoredRecord,
  losers: readonly StoredRecord[],
): Map<string, string | null> {
  const taken = new Map<string, string | null>()
  for (const column of Object.keys(resource.references)) {
    // The registry's references are columns of the row.
    const [first] = [winner, ...losers].flatMap((record) => record[column as 'company_id'] ?? [])
    if (first !== undefined) taken.set(column, first)
  }
  return taken
}
