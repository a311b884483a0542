import type { RecordPart } from '@kith/contract/changes/change-kind'
import type { CommentObject } from '@kith/contract/comment'
import type { FileObject } from '@kith/contract/file'
import type { Scope } from '../scope/scope.ts'
import { loadLiveParts, loadPartsAfter } from '../storage/tables/record-parts.ts'
import { presentComments } from './comments/comments.ts'
import { presentFile } from './files/files.ts'

/** A file or a comment, as it is shown. */
export type PartObject = FileObject | CommentObject

/** Parts that can be read, by their ids. */
export async function presentPartsById(scope: Scope, part: RecordPart, ids: readonly string[]): Promise<PartObject[]> {
  if (part === 'comments') return presentComments(scope, await loadLiveParts(scope, part, ids))
  return (await loadLiveParts(scope, part, ids)).map((row) => presentFile(row, scope))
}

/** The next parts that can be read, by id. */
export async function presentPartsAfter(
  scope: Scope,
  part: RecordPart,
  place: { after: string; limit: number },
): Promise<PartObject[]> {
  if (part === 'comments') return presentComments(scope, await loadPartsAfter(scope, part, place))
  return (await loadPartsAfter(scope, part, place)).map((row) => presentFile(row, scope))
}
