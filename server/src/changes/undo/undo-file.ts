import { momentOf } from '@kith/contract/id'
import { type RefusalReason, refuseValue } from '@kith/contract/refusal'
import { isExpected, type Precondition } from '../../records/expected.ts'
import { lockFile, storeDeletion, storeName, storeReturn } from '../../records/files/files.ts'
import type { Scope } from '../../scope/scope.ts'
import { type FileRow, findAnyFile } from '../../storage/tables/files.ts'
import { loadUndos } from '../../storage/tables/undos.ts'
import { changesIn } from '../audit-log.ts'
import { type FoundChange, refusedId } from './found-change.ts'
import { changedAfterCreation, loadSince } from './since.ts'

type FileUndo = { refused: RefusalReason } | { shows: string; gone: boolean; done: boolean }

type Settings = { force?: boolean; expected?: Precondition }

/** Undoes a change of a file, by the rules for changes of records. A refusal comes before anything is written. */
export async function undoFile(inside: Scope, change: FoundChange, settings: Settings): Promise<FileUndo> {
  const { id, record_id: shows, kind } = change
  const row = await lockFile(inside, shows)
  const isUndone = (await loadUndos(inside, [id])).has(id)
  if (isUndone) return { shows, gone: !row || row.deleted_at !== null, done: false }
  if (!row) return { refused: await goneReason(inside, shows) }
  const isLive = row.deleted_at === null
  const isToGo = kind === 'created' || kind === 'restored'
  if (isToGo !== isLive && kind !== 'updated') return { shows, gone: isToGo, done: false }
  if (kind === 'updated' && !isLive) return { refused: refusedId(`The file ${shows} is deleted. Restore it first.`) }
  if (!isExpected(settings.expected, row)) return { refused: changedReason(row) }
  if (kind === 'updated') await rename(inside, row, change)
  else if (kind === 'deleted') await storeReturn(inside, row, { undo_of: id })
  else await removeUnlessChanged(inside, row, { change, settings })
  return { shows, gone: isToGo, done: true }
}

async function goneReason(inside: Scope, id: string): Promise<RefusalReason> {
  const row = await findAnyFile(inside, id)
  if (!row) return refusedId(`The file ${id} was deleted for good.`)
  return refusedId(`The record ${row.record_id} of the file ${id} is deleted. Restore it first.`)
}

function changedReason({ id, updated_at }: FileRow): RefusalReason {
  const message = `The file with the ID ${id} was last changed at ${updated_at}, which If-Match does not name. Nothing was written.`
  return { kind: 'precondition_failed', message, updated_at, tag: `"${updated_at}"` }
}

/** Gives it the name from before. Other changes of files have a cause, and are not undone alone. */
async function rename(inside: Scope, row: FileRow, change: FoundChange): Promise<void> {
  const [, before, after] = change.changes.find(([field]) => field === 'name') ?? []
  if (typeof before !== 'string') throw new Error('A change of a file has no name.')
  if (row.name !== after) {
    const { all, counts } = await loadSince(inside, [change])
    const later = all.get(row.id)?.findLast((one) => counts(one) && changesIn(one).some(([field]) => field === 'name'))
    const when = later ? `was changed again at ${momentOf(later.id)} (${later.id})` : 'has another value now'
    refuseValue('name', `The name ${when}. The change cannot be undone.`)
  }
  await storeName(inside, row, { name: before, undo_of: change.id })
}

async function removeUnlessChanged(
  inside: Scope,
  row: FileRow,
  { change, settings }: { change: FoundChange; settings: Settings },
): Promise<void> {
  const isCreated = change.kind === 'created' && !settings.force
  const at = isCreated ? changedAfterCreation(await loadSince(inside, [change]), change) : undefined
  if (at !== undefined) {
    refuseValue(
      'id',
      `The file ${row.id} was changed again at ${at}, so its creation is not undone. ` +
        'Undo those changes first, or undo it alone with {"force": true}, which deletes the file anyway.',
    )
  }
  await storeDeletion(inside, row, change.id)
}
