import type { RecordPart } from '@kith/contract/changes/change-kind'
import { momentOf } from '@kith/contract/id'
import { type RefusalReason, refuseIfAny, refuseValue } from '@kith/contract/refusal'
import { mentionIssues, requireAuthor, requireAuthorOrManager, storeBody } from '../../records/comments/comments.ts'
import { isExpected, type Precondition } from '../../records/expected.ts'
import { returnFile } from '../../records/files/files.ts'
import {
  lockPart,
  oneOfPart,
  requireRestorable,
  storeDeletion,
  storeReturn,
  storeText,
} from '../../records/record-parts.ts'
import type { Scope } from '../../scope/scope.ts'
import { type CommentRow, type FileRow, type PartRows, partTables } from '../../storage/tables/record-parts.ts'
import { loadUndos } from '../../storage/tables/undos.ts'
import { changesIn } from '../audit-log.ts'
import { type FoundChange, refusedId } from './found-change.ts'
import { changedAfterCreation, loadSince } from './since.ts'

type PartUndo = { refused: RefusalReason } | { shows: string; gone: boolean; done: boolean }

type Settings = { force?: boolean; expected?: Precondition }

/** How a file or a comment gets back what it was. Each refuses before it writes. */
type Ways<Row> = {
  /** The attribute that a change can have changed. */
  field: keyof Row & string
  store(inside: Scope, row: Row, undoing: { text: string; undo_of: string }): Promise<unknown>
  return(inside: Scope, row: Row, undo_of: string): Promise<unknown>
  requireMayRemove(inside: Scope, row: Row): void
}

const ofFiles: Ways<FileRow> = {
  field: 'name',
  store: (inside, row, { text, undo_of }) => {
    return storeText(inside, 'files', { row, text: ['name', row.name, text], undo_of })
  },
  return: (inside, row, undo_of) => returnFile(inside, row, { undo_of }),
  requireMayRemove: () => {},
}

const ofComments: Ways<CommentRow> = {
  field: 'body',
  async store(inside, row, { text, undo_of }) {
    requireAuthor(inside, row)
    refuseIfAny(await mentionIssues(inside, text, row.body))
    await storeBody(inside, row, { body: text, undo_of })
  },
  async return(inside, row, undo_of) {
    requireRestorable(inside, 'comments', row)
    requireAuthorOrManager(inside, row)
    await storeReturn(inside, 'comments', { row, undo_of })
  },
  requireMayRemove: requireAuthorOrManager,
}

type Undoing<P extends RecordPart> = { part: P; row: PartRows[P]; ways: Ways<PartRows[P]> }

/** Undoes a change of a file or a comment, by the rules for changes of records. */
export function undoOfPart(inside: Scope, change: FoundChange, settings: Settings): Promise<PartUndo> {
  if (change.resource === 'comments') return undoPart(inside, change, { part: 'comments', ways: ofComments, settings })
  return undoPart(inside, change, { part: 'files', ways: ofFiles, settings })
}

async function undoPart<P extends RecordPart>(
  inside: Scope,
  change: FoundChange,
  { part, ways, settings }: { part: P; ways: Ways<PartRows[P]>; settings: Settings },
): Promise<PartUndo> {
  const { id, record_id: shows, kind } = change
  const row = await lockPart(inside, part, shows)
  const isUndone = (await loadUndos(inside, [id])).has(id)
  if (isUndone) return { shows, gone: !row || row.deleted_at !== null, done: false }
  if (!row) return { refused: await goneReason(inside, part, shows) }
  const isLive = row.deleted_at === null
  const isToGo = kind === 'created' || kind === 'restored'
  if (isToGo !== isLive && kind !== 'updated') return { shows, gone: isToGo, done: false }
  const name = `The ${oneOfPart[part]} ${shows}`
  if (kind === 'updated' && !isLive) return { refused: refusedId(`${name} is deleted. Restore it first.`) }
  if (!isExpected(settings.expected, row)) return { refused: changedReason(part, row) }
  if (kind === 'updated') await revert(inside, change, { part, row, ways })
  else if (kind === 'deleted') await ways.return(inside, row, id)
  else await removeUnlessChanged(inside, change, { part, row, ways, settings })
  return { shows, gone: isToGo, done: true }
}

async function goneReason(inside: Scope, part: RecordPart, id: string): Promise<RefusalReason> {
  const row = await partTables[part].find(inside, { id })
  const one = oneOfPart[part]
  if (!row) return refusedId(`The ${one} ${id} was deleted for good.`)
  return refusedId(`The record ${row.record_id} of the ${one} ${id} is deleted. Restore it first.`)
}

function changedReason(part: RecordPart, { id, updated_at }: { id: string; updated_at: string }): RefusalReason {
  const message = `The ${oneOfPart[part]} with the ID ${id} was last changed at ${updated_at}, which If-Match does not name. Nothing was written.`
  return { kind: 'precondition_failed', message, updated_at, tag: `"${updated_at}"` }
}

/** Gives it the text from before. Other changes of parts have a cause, and are not undone alone. */
async function revert<P extends RecordPart>(
  inside: Scope,
  change: FoundChange,
  { row, ways }: Undoing<P>,
): Promise<void> {
  const { field, store } = ways
  const [, before, after] = change.changes.find(([name]) => name === field) ?? []
  if (typeof before !== 'string') throw new Error(`A change has no ${field}.`)
  if (row[field] !== after) {
    const { all, counts } = await loadSince(inside, [change])
    const later = all.get(row.id)?.findLast((one) => counts(one) && changesIn(one).some(([name]) => name === field))
    const when = later ? `was changed again at ${momentOf(later.id)} (${later.id})` : 'has another value now'
    refuseValue(field, `The ${field} ${when}. The change cannot be undone.`)
  }
  await store(inside, row, { text: before, undo_of: change.id })
}

async function removeUnlessChanged<P extends RecordPart>(
  inside: Scope,
  change: FoundChange,
  { part, row, ways, settings }: Undoing<P> & { settings: Settings },
): Promise<void> {
  ways.requireMayRemove(inside, row)
  const isCreated = change.kind === 'created' && !settings.force
  const at = isCreated ? changedAfterCreation(await loadSince(inside, [change]), change) : undefined
  if (at !== undefined) {
    refuseValue(
      'id',
      `The ${oneOfPart[part]} ${row.id} was changed again at ${at}, so its creation is not undone. ` +
        'Undo those changes first, or undo it alone with {"force": true}, which deletes it anyway.',
    )
  }
  await storeDeletion(inside, part, { row, undo_of: change.id })
}
