import { isRecordPart } from '@kith/contract/changes/change-kind'
import type { Issue } from '@kith/contract/issue'
import { isObject } from '@kith/contract/raw-input'
import { Refusal, type RefusalReason } from '@kith/contract/refusal'
import { EXTERNAL_IDS, type Resource } from '@kith/contract/resource'
import { findNamed, lockClaims } from '../../records/check-input.ts'
import { type Precondition, requireExpectedTime, unexpected } from '../../records/expected.ts'
import { undoInside } from '../../records/merge/undo-merge.ts'
import { type Removal, removeSet, restoreDeleted } from '../../records/trash/restore.ts'
import { parseUpdate } from '../../records/write.ts'
import { claimedBy, writeSet } from '../../records/write-set.ts'
import type { Scope } from '../../scope/scope.ts'
import { type DeletedRow, loadAnyRows } from '../../storage/tables/expiry.ts'
import { lockRows } from '../../storage/tables/links.ts'
import { findMerge, findMergeByChange, loadMergesOf } from '../../storage/tables/merges.ts'
import { findForChange, findRecord, type RecordRow } from '../../storage/tables/records.ts'
import { loadUndos } from '../../storage/tables/undos.ts'
import { type FoundChange, findChanges, refusalOf, refusedId, resourceOf } from './found-change.ts'
import { changedAfterCreation, changedValues, fieldNamed, loadSince, plain } from './since.ts'
import { undoOfPart } from './undo-part.ts'

/**
 * `shows` is the record of the response. It may be gone. `row` is the record as the undo has written it. `done` is
 * false if there was nothing to do.
 */
export type UndoOutcome = { refused: RefusalReason } | { shows: string; gone: boolean; done: boolean; row?: RecordRow }

/**
 * `force`: deletes a new record that was changed since. `expected` is the precondition of a single undo. `late`: also
 * undoes changes that are too old.
 */
export type UndoSettings = { force?: boolean; expected?: Precondition; late?: boolean }

/**
 * Undoes changes in their order, in one transaction. A refused undo writes nothing. Changes of one kind that belong to
 * different records of one resource are undone together.
 */
export async function undoInOrder(
  inside: Scope,
  changes: readonly FoundChange[],
  settings: UndoSettings,
): Promise<UndoOutcome[]> {
  const outcomes: UndoOutcome[] = []
  while (outcomes.length < changes.length) {
    const [first, ...others] = changes.slice(outcomes.length)
    if (!first) break
    const refused = refusalOf(inside, first, settings)
    if (refused) outcomes.push({ refused })
    else outcomes.push(...(await undoSet(inside, [first, ...nextOf(inside, first, { others, settings })], settings)))
  }
  return outcomes
}

/** The next changes that can be undone together with the first one. */
function nextOf(
  inside: Scope,
  first: FoundChange,
  { others, settings }: { others: readonly FoundChange[]; settings: UndoSettings },
): FoundChange[] {
  const records = new Set([first.record_id])
  const end = others.findIndex((one) => {
    if (one.kind !== first.kind || one.resource !== first.resource || records.has(one.record_id)) return true
    records.add(one.record_id)
    return refusalOf(inside, one, settings) !== undefined
  })
  return end === -1 ? [...others] : others.slice(0, end)
}

/** Undoes the first changes of a set, at least one. */
function undoSet(inside: Scope, set: readonly FoundChange[], settings: UndoSettings): Promise<UndoOutcome[]> {
  const [first] = set
  if (!first) throw new Error('There is no change to undo.')
  if (isRecordPart(first.resource)) return eachAlone(set, (change) => undoOfPart(inside, change, settings))
  const resource = resourceOf(inside, first)
  switch (first.kind) {
    case 'updated':
      return revert(inside, resource, { set, settings })
    case 'created':
    case 'restored':
      return remove(inside, resource, { set, settings })
    case 'deleted':
      return eachAlone(set, (change) => bringBack(inside, resource, { change, settings }))
    case 'merged':
      return eachAlone(set, (change) => unmerge(inside, resource, { change, settings }))
  }
}

/** A refusal comes before anything is written. */
async function eachAlone(
  set: readonly FoundChange[],
  undo: (change: FoundChange) => Promise<UndoOutcome>,
): Promise<UndoOutcome[]> {
  const outcomes: UndoOutcome[] = []
  for (const change of set) {
    try {
      outcomes.push(await undo(change))
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      const { reason } = error
      outcomes.push({ refused: reason.kind === 'not_found' ? refusedId(error.message) : reason })
    }
  }
  return outcomes
}

type UndoSet = { set: readonly FoundChange[]; settings: UndoSettings }

/** Gives every changed value its value from before. */
async function revert(inside: Scope, resource: Resource, { set, settings }: UndoSet): Promise<UndoOutcome[]> {
  const all = set.map((change) => ({ change, write: writeOf(resource, change) }))
  // In the lock order, like the write itself.
  if (inside.engine.concurrentWrites) {
    await lockClaims(
      inside,
      all.map(({ write }) => claimedBy(write)),
    )
    const checked = all.flatMap(({ write: { input, report } }) => (input ? [{ input, report }] : []))
    await findNamed(inside, { checked })
  }
  const ids = set.map(({ record_id }) => record_id)
  const current = await findForChange(inside, resource, ids)
  const undone = await loadUndos(
    inside,
    set.map(({ id }) => id),
  )
  const states = await loadStates(
    inside,
    resource,
    ids.filter((id) => !current.has(id)),
  )
  // Another automatic save may have become a part of a change before its record was locked.
  const saved = set.flatMap(({ id, row }) => (row.save_of === null ? [] : [id]))
  const again = await findChanges(inside, saved)
  const updates = set.flatMap((change) => {
    const row = current.get(change.record_id)
    return row && !undone.has(change.id) ? [{ change: again.get(change.id) ?? change, current: row }] : []
  })
  const changed = await changedValues(inside, resource, updates)
  const steps: (UndoOutcome | undefined)[] = []
  for (const { change, write } of all) {
    const { id, record_id: shows } = change
    const row = current.get(shows)
    const refused = row && (await unexpected(inside, resource, { expected: settings.expected, current: row }))
    if (refused) steps.push({ refused })
    else if (undone.has(id)) steps.push({ shows, gone: !row, done: false })
    else if (!row) steps.push({ refused: goneReason(resource, shows, states) })
    else {
      // The write reports its own problems, too.
      write.issues.push(...(changed.get(id) ?? []))
      steps.push(undefined)
    }
  }
  // The values are written as they were compared.
  const writing = all.flatMap(({ write }, index) => {
    const read = current.get(ids[index] ?? '')
    return steps[index] === undefined && read ? [{ ...write, read }] : []
  })
  const written = writing.length === 0 ? [] : await writeSet(inside, resource, writing)
  const done = written.values()
  const outcomes: UndoOutcome[] = []
  for (const step of steps) {
    const outcome = step ?? done.next().value
    // The write depends on one before it.
    if (!outcome) break
    if ('refused' in outcome) outcomes.push({ refused: atLists(outcome.refused) })
    else if ('gone' in outcome) outcomes.push(outcome)
    else outcomes.push({ shows: outcome.row.id, gone: false, done: true, row: outcome.row })
  }
  return outcomes
}

/** The update that brings back the values from before. Values of fields that are gone are its issues. */
function writeOf(resource: Resource, { id, record_id, at, changes }: FoundChange) {
  const body: Record<string, unknown> = {}
  const values: Record<string, unknown> = {}
  const gone: Issue[] = []
  for (const [field, before, after] of changes) {
    const definition = fieldNamed(resource, field)
    if (field.startsWith('custom_fields.')) {
      // A field of this code may have been made after an earlier one was deleted.
      if (definition && definition.created_at <= at) values[definition.code] = plain(before)
      else gone.push({ path: field, message: `The field ${field} is archived or deleted. Restore it first.` })
    } else if (field in resource.links) body[field] = { $add: before, $remove: after }
    else if (field === EXTERNAL_IDS) body[field] = idsBefore(before, after)
    else body[field] = before
  }
  if (Object.keys(values).length > 0) body.custom_fields = values
  const asked = { raw: {}, loose: false, issues: [] }
  const { answer: _, ...write } = parseUpdate({ body, asked }, { resource }, { id: record_id, sent_id: record_id })
  write.issues.push(...gone)
  return { ...write, undo_of: id }
}

/** Namespaces that there were not before are cleared. */
function idsBefore(before: unknown, after: unknown): Record<string, unknown> {
  const [was, is] = [before, after].map((ids) => (isObject(ids) ? ids : {}))
  return { ...Object.fromEntries(Object.keys(is ?? {}).map((name) => [name, null])), ...was }
}

/** A problem with an item of a list is one of the list. */
function atLists(reason: RefusalReason): RefusalReason {
  if (reason.kind !== 'invalid') return reason
  const listIn = (path: string) => path.replace(/\.\$(add|remove).*$/, '')
  return { ...reason, issues: reason.issues.map((issue) => ({ ...issue, path: listIn(issue.path) })) }
}

/** Deletes records that were created or restored. */
async function remove(inside: Scope, resource: Resource, { set, settings }: UndoSet): Promise<UndoOutcome[]> {
  const ids = set.map(({ record_id }) => record_id)
  await lockRows(inside, [{ of: resource.number, ids, mode: 'alone' }])
  const undone = await loadUndos(
    inside,
    set.map(({ id }) => id),
  )
  const states = await loadStates(inside, resource, ids)
  const created = settings.force ? [] : set.filter(({ id, kind }) => kind === 'created' && !undone.has(id))
  const since = created.length === 0 ? undefined : await loadSince(inside, created)
  const steps = set.map((change): UndoOutcome | Removal => {
    const { id, record_id: shows, kind } = change
    const state = states.get(shows)
    const isLive = state?.row.deleted_at === null
    if (undone.has(id)) return { shows, gone: !isLive, done: false }
    if (state?.merge) return { refused: goneReason(resource, shows, states) }
    if (!isLive) return { shows, gone: true, done: false }
    const changedAt = since && kind === 'created' ? changedAfterCreation(since, change) : undefined
    if (changedAt !== undefined) return { refused: changedReason(resource, shows, changedAt) }
    return { id: shows, sent_id: shows, expected: settings.expected, undo_of: id }
  })
  const removals = steps.flatMap((step) => ('sent_id' in step ? [step] : []))
  const done = (removals.length === 0 ? [] : await removeSet(inside, resource, removals)).values()
  return steps.map((step): UndoOutcome => {
    if (!('sent_id' in step)) return step
    const removed = done.next().value
    return removed && 'refused' in removed ? removed : { shows: step.id, gone: true, done: true }
  })
}

function changedReason({ one }: Resource, id: string, at: string): RefusalReason {
  return refusedId(
    `The ${one} ${id} was changed again at ${at}, so its creation is not undone. ` +
      'Undo those changes first, or undo it alone with {"force": true}, which deletes the record anyway.',
  )
}

type UndoOne = { change: FoundChange; settings: UndoSettings }

/** Restores a deleted record. */
async function bringBack(inside: Scope, resource: Resource, { change, settings }: UndoOne): Promise<UndoOutcome> {
  const { id, record_id: shows } = change
  const states = await loadStates(inside, resource, [shows])
  const state = states.get(shows)
  if (!state || state.merge) {
    const isUndone = (await loadUndos(inside, [id])).has(id)
    return isUndone ? { shows, gone: true, done: false } : { refused: goneReason(resource, shows, states) }
  }
  let isUndone = false
  const unless = async () => {
    isUndone = (await loadUndos(inside, [id])).has(id)
    return isUndone
  }
  const { expected } = settings
  const done = await restoreDeleted(inside, resource, { id: shows, expected, issues: [], undo_of: id, unless })
  return { shows, gone: isUndone, done }
}

/** Undoes the merge of a record, as a whole. */
async function unmerge(inside: Scope, resource: Resource, { change, settings }: UndoOne): Promise<UndoOutcome> {
  const found = await findMergeByChange(inside, change)
  const merge = found && (await findMerge(inside, found.merge))
  if (!found || !merge) throw new Error('The merge of a merged record is not stored.')
  const shows = merge.winner_id
  if (merge.undone_at !== null) {
    return { shows, gone: (await findRecord(inside, resource, shows)) === undefined, done: false }
  }
  const [row] = await loadAnyRows(inside, resource, [change.record_id])
  if (row) requireExpectedTime(resource, settings.expected, row)
  await undoInside(inside, merge.id, found.changes)
  return { shows, gone: false, done: true }
}

/** A record, live or deleted, and the merge that deleted it. */
type State = { row: DeletedRow; merge: { id: string; winner_id: string } | undefined }

async function loadStates(inside: Scope, resource: Resource, ids: readonly string[]): Promise<Map<string, State>> {
  if (ids.length === 0) return new Map()
  const rows = await loadAnyRows(inside, resource, ids)
  const merges = await loadMergesOf(
    inside,
    rows.filter(({ deleted_at }) => deleted_at !== null).map(({ id }) => id),
  )
  return new Map(rows.map((row) => [row.id, { row, merge: merges.get(row.id) }]))
}

/** Why a record that is gone cannot be changed, and what to do first. */
function goneReason({ one }: Resource, id: string, states: ReadonlyMap<string, State>): RefusalReason {
  const state = states.get(id)
  if (!state) return refusedId(`The ${one} ${id} was deleted for good.`)
  const { merge } = state
  if (!merge) return refusedId(`The ${one} ${id} is deleted. Restore it first.`)
  return refusedId(`The ${one} ${id} was merged into ${merge.winner_id}. Undo that merge (${merge.id}) first.`)
}
