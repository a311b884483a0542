import { type RecordPart, recordParts } from '@kith/contract/changes/change-kind'
import { parseId } from '@kith/contract/id'
import { refuseUnknownId } from '@kith/contract/refusal'
import type { Resource } from '@kith/contract/resource'
import { type AuditEntry, noteWrite } from '../journal/write.ts'
import type { Scope } from '../scope/scope.ts'
import { insertMoves, type Move } from '../storage/tables/merges.ts'
import {
  findPart,
  loadMovedParts,
  moveParts,
  type PartRows,
  partTables,
  replacePart,
} from '../storage/tables/record-parts.ts'
import { addToCounts, findRecord } from '../storage/tables/records.ts'
import { momentAfter } from './changes.ts'
import { refuseMissing } from './merge/merged-into.ts'
import { idInPath } from './read.ts'
import { restorableSince } from './trash/trash.ts'
import { lockWhatIsRead } from './write-targets.ts'

/** What messages call one of them. */
export const oneOfPart = { files: 'file', comments: 'comment' } as const satisfies Record<RecordPart, string>

/** The row of some part. */
type AnyRow = PartRows[RecordPart]

/** The record of a path, which must be live. */
export async function requireRecord(scope: Scope, resource: Resource, id: string): Promise<string> {
  const found = await findRecord(scope, resource, idInPath(resource, id))
  return found?.id ?? refuseMissing(scope, resource, id)
}

/** The resource of a part. Undefined if it is archived. */
export function resourceOfPart({ schema }: Pick<Scope, 'schema'>, row: AnyRow): Resource | undefined {
  return [...schema.values()].find(({ number }) => number === row.resource)
}

/** A part, unless it is deleted. */
export async function readPartRow<P extends RecordPart>(scope: Scope, part: P, id: string): Promise<PartRows[P]> {
  return shownPart(scope, part, { id, row: await findPart(scope, part, parseId(id) ?? '') })
}

/** A part, locked together with its record, unless it is deleted. */
export async function lockShownPart<P extends RecordPart>(inside: Scope, part: P, id: string): Promise<PartRows[P]> {
  return shownPart(inside, part, { id, row: await lockPart(inside, part, id) })
}

/** A part of a live record, locked together with it. It may be deleted. */
export async function lockKnownPart<P extends RecordPart>(inside: Scope, part: P, id: string): Promise<PartRows[P]> {
  const row = await lockPart(inside, part, id)
  return row && resourceOfPart(inside, row) ? row : refuseUnknownId(oneOfPart[part], id)
}

function shownPart<P extends RecordPart>(
  scope: Scope,
  part: P,
  { id, row }: { id: string; row: PartRows[P] | undefined },
): PartRows[P] {
  const isThere = row && row.deleted_at === null && resourceOfPart(scope, row)
  return isThere ? row : refuseUnknownId(oneOfPart[part], id)
}

/** A part, which may be deleted, locked together with its record. If a merge moves it, the transaction restarts. */
export function lockPart<P extends RecordPart>(inside: Scope, part: P, id: string): Promise<PartRows[P] | undefined> {
  return lockWhatIsRead(
    inside,
    () => findPart(inside, part, parseId(id) ?? ''),
    (row) => ({ rows: row ? [{ of: row.resource, ids: [row.record_id], mode: 'change' }] : [] }),
  )
}

/** `undo_of`: the change that a write undoes. */
type Undoing = { undo_of?: string | undefined }

/** Gives a locked part another text: the field, what it is, and what it becomes. */
export async function storeText<Row extends AnyRow>(
  inside: Scope,
  part: RecordPart,
  { row, text, undo_of }: { row: Row; text: readonly [field: string, before: string, after: string] } & Undoing,
): Promise<Row> {
  const [field, , after] = text
  const changes = { [field]: after, updated_at: momentAfter(inside, [row]) }
  await replacePart(inside, part, { id: row.id, changes })
  const changed = { ...row, ...changes }
  const change = { kind: 'updated', at: changes.updated_at, changed: [field] } as const
  await noteParts(inside, part, [{ row: changed, action: 'update', changes: [text], undo_of, change }])
  return changed
}

/** Deletes a locked part. It can be restored for 30 days. */
export async function storeDeletion(
  inside: Scope,
  part: RecordPart,
  { row, undo_of }: { row: AnyRow } & Undoing,
): Promise<void> {
  const at = momentAfter(inside, [row])
  await replacePart(inside, part, { id: row.id, changes: { deleted_at: at } })
  await noteParts(inside, part, [{ row, action: 'delete', undo_of, change: { kind: 'deleted', at } }])
}

/** A deleted part is gone after 30 days. */
export function requireRestorable(scope: Scope, part: RecordPart, row: AnyRow): void {
  if ((row.deleted_at ?? '') <= restorableSince(scope)) refuseUnknownId(oneOfPart[part], row.id)
}

/** Restores a locked part that is deleted. */
export async function storeReturn<Row extends AnyRow>(
  inside: Scope,
  part: RecordPart,
  { row, undo_of }: { row: Row } & Undoing,
): Promise<Row> {
  const changes = { deleted_at: null, updated_at: momentAfter(inside, [row]) }
  await replacePart(inside, part, { id: row.id, changes })
  const restored = { ...row, ...changes }
  const change = { kind: 'restored', at: changes.updated_at } as const
  await noteParts(inside, part, [{ row: restored, action: 'restore', undo_of, change }])
  return restored
}

/** The audit entry of a part and its change in the feed. */
type PartEntry = Omit<AuditEntry, 'resource' | 'record_id' | 'name'> & { row: AnyRow }

/** Every write of parts ends here. */
export async function noteParts(inside: Scope, part: RecordPart, entries: readonly PartEntry[]): Promise<void> {
  if (entries.length === 0) return
  await noteWrite(
    inside,
    entries.map(({ row, ...entry }) => {
      return { ...entry, resource: part, record_id: row.id, name: 'name' in row ? row.name : null }
    }),
  )
  await addToCounts(inside, part, 0)
}

/** The changes of some records, by their ids. */
type Causes = ReadonlyMap<string, string>

const isLive = ({ deleted_at }: AnyRow) => deleted_at === null

/** The parts of deleted records are gone for readers of the feed, until the records are restored. */
export async function notePartsGone(inside: Scope, causes: Causes, at: string): Promise<void> {
  for (const part of recordParts) {
    const rows: AnyRow[] = await partTables[part].load(inside, { record_id: [...causes.keys()] }, 'id')
    const change = { kind: 'deleted', at } as const
    const gone = rows.filter(isLive).map((row): PartEntry => {
      return { row, action: 'delete', cause: causes.get(row.record_id), change }
    })
    await noteParts(inside, part, gone)
  }
}

/** The parts of restored records are there again. */
export async function notePartsBack(inside: Scope, causes: Causes): Promise<void> {
  const record_id = [...causes.keys()]
  for (const part of recordParts) {
    const all: AnyRow[] = await partTables[part].load(inside, { record_id }, 'id')
    const rows = all.filter(isLive)
    if (rows.length === 0) continue
    const at = momentAfter(inside, rows)
    await partTables[part].update(inside, { record_id, deleted_at: null }, { updated_at: at })
    const change = { kind: 'restored', at } as const
    await noteParts(
      inside,
      part,
      rows.map((row) => ({ row, action: 'restore', cause: causes.get(row.record_id), change })),
    )
  }
}

type MergeIds = { merge_id: string; winner_id: string; cause: string | undefined }

/** Moves the parts of the losers of a merge to its winner, also deleted ones. */
export async function partsToWinner(
  inside: Scope,
  { loser_ids, merge_id, winner_id, cause }: MergeIds & { loser_ids: readonly string[] },
): Promise<void> {
  for (const part of recordParts) {
    const rows: AnyRow[] = await partTables[part].load(inside, { record_id: loser_ids }, 'id')
    const moves = rows.map(({ id, record_id }): Move => {
      return { resource: part, relation: 'record_id', record_id: id, from_id: record_id, added: 1 }
    })
    if (moves.length > 0) await insertMoves(inside, merge_id, moves)
    await moveTo(inside, part, { rows, to: winner_id, cause })
  }
}

/** Moves the parts back that a merge has moved to its winner. */
export async function partsFromWinner(inside: Scope, { cause, ...merging }: MergeIds): Promise<void> {
  for (const part of recordParts) {
    const rows = await loadMovedParts(inside, part, merging)
    for (const [to, own] of Map.groupBy<string, AnyRow & { from_id: string }>(rows, ({ from_id }) => from_id)) {
      await moveTo(inside, part, { rows: own, to, cause })
    }
  }
}

async function moveTo(
  inside: Scope,
  part: RecordPart,
  { rows, to, cause }: { rows: readonly AnyRow[]; to: string; cause: string | undefined },
): Promise<void> {
  if (rows.length === 0) return
  const at = momentAfter(inside, rows)
  await moveParts(inside, part, { ids: rows.map(({ id }) => id), to, at })
  const change = { kind: 'updated', at, changed: ['record_id'] } as const
  const entries = rows.filter(isLive).map((row): PartEntry => {
    return { row, action: 'update', cause, changes: [['record_id', row.record_id, to]], change }
  })
  await noteParts(inside, part, entries)
}
