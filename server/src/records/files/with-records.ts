import type { AuditEntry } from '../../journal/write.ts'
import { noteWrite } from '../../journal/write.ts'
import type { Scope } from '../../scope/scope.ts'
import {
  type FileRow,
  loadFilesOf,
  loadMovedFiles,
  moveFiles,
  moveFilesBack,
  touchFilesOf,
} from '../../storage/tables/files.ts'
import { insertMoves, type Move } from '../../storage/tables/merges.ts'
import { addToCounts } from '../../storage/tables/records.ts'
import { momentAfter } from '../changes.ts'

/** The audit entry of a file and its change in the feed. */
type FileEntry = Omit<AuditEntry, 'resource' | 'record_id' | 'name'> & { file: Pick<FileRow, 'id' | 'name'> }

/** Every write of files ends here. Returns the ids of the changes. */
export async function noteFiles(inside: Scope, entries: readonly FileEntry[]): Promise<string[]> {
  const about = (file: FileEntry['file']) => ({ resource: 'files', record_id: file.id, name: file.name })
  const ids = await noteWrite(
    inside,
    entries.map(({ file, ...entry }) => ({ ...entry, ...about(file) })),
  )
  await addToCounts(inside, 'files', 0)
  return ids
}

/** The changes of some records, by their ids. */
type Causes = ReadonlyMap<string, string>

const isLive = ({ deleted_at }: FileRow) => deleted_at === null

/** The files of deleted records are gone for readers of the feed, until the records are restored. */
export async function noteFilesGone(inside: Scope, causes: Causes, at: string): Promise<void> {
  const files = (await loadFilesOf(inside, [...causes.keys()])).filter(isLive)
  if (files.length === 0) return
  const change = { kind: 'deleted', at } as const
  await noteFiles(
    inside,
    files.map((file) => ({ file, action: 'delete', cause: causes.get(file.record_id), change })),
  )
}

/** The files of restored records are there again. */
export async function noteFilesBack(inside: Scope, causes: Causes): Promise<void> {
  const record_ids = [...causes.keys()]
  const files = (await loadFilesOf(inside, record_ids)).filter(isLive)
  if (files.length === 0) return
  const at = momentAfter(inside, files)
  await touchFilesOf(inside, { record_ids, at })
  const change = { kind: 'restored', at } as const
  await noteFiles(
    inside,
    files.map((file) => ({ file, action: 'restore', cause: causes.get(file.record_id), change })),
  )
}

type MergeIds = { merge_id: string; winner_id: string; cause: string | undefined }

/** Moves the files of the losers of a merge to its winner, also deleted ones. */
export async function filesToWinner(
  inside: Scope,
  { loser_ids, merge_id, winner_id, cause }: MergeIds & { loser_ids: readonly string[] },
): Promise<void> {
  const files = await loadFilesOf(inside, loser_ids)
  if (files.length === 0) return
  const moves = files.map(({ id, record_id }): Move => {
    return { resource: 'files', relation: 'record_id', record_id: id, from_id: record_id, added: 1 }
  })
  await insertMoves(inside, merge_id, moves)
  const at = momentAfter(inside, files)
  await moveFiles(inside, loser_ids, { by: winner_id, at })
  await noteMoved(inside, files, { at, cause, to: () => winner_id })
}

/** Moves the files back that a merge has moved to its winner. */
export async function filesFromWinner(inside: Scope, merging: MergeIds): Promise<void> {
  const files = await loadMovedFiles(inside, merging)
  if (files.length === 0) return
  const at = momentAfter(inside, files)
  await moveFilesBack(inside, { ...merging, at })
  await noteMoved(inside, files, { at, cause: merging.cause, to: ({ from_id }) => from_id })
}

async function noteMoved<Row extends FileRow>(
  inside: Scope,
  files: readonly Row[],
  { at, cause, to }: { at: string; cause: string | undefined; to(file: Row): string },
): Promise<void> {
  const change = { kind: 'updated', at, changed: ['record_id'] } as const
  await noteFiles(
    inside,
    files.filter(isLive).map((file) => {
      return { file, action: 'update', cause, changes: [['record_id', file.record_id, to(file)]], change }
    }),
  )
}
