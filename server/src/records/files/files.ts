import { type FileObject, file, fileChanges } from '@kith/contract/file'
import { newId } from '@kith/contract/id'
import type { Issue } from '@kith/contract/issue'
import { FILES_PER_RECORD_MAX } from '@kith/contract/limits'
import { parsePageQuery } from '@kith/contract/list-query'
import { parseOrRefuse, refuse, refuseIfAny } from '@kith/contract/refusal'
import type { Resource } from '@kith/contract/resource'
import { readSent, shownOf } from '@kith/contract/shape'
import { requireAbilities } from '../../scope/permissions.ts'
import { requireResource } from '../../scope/read-input.ts'
import { inSnapshot, type Scope } from '../../scope/scope.ts'
import { loadFiles, loadUsedBytes, useContent } from '../../storage/tables/files.ts'
import { lockRows } from '../../storage/tables/links.ts'
import { type FileRow, partTables } from '../../storage/tables/record-parts.ts'
import { findRecord } from '../../storage/tables/records.ts'
import type { RawParameters } from '../expected.ts'
import { refuseMissing } from '../merge/merged-into.ts'
import { idInPath } from '../read.ts'
import {
  lockKnownPart,
  lockShownPart,
  noteParts,
  readPartRow,
  requireRecord,
  requireRestorable,
  resourceOfPart,
  storeDeletion,
  storeReturn,
  storeText,
} from '../record-parts.ts'
import type { PageOf } from '../trash/trash.ts'
import { writing } from '../write-targets.ts'

/** A content that is stored and claimed, and what its sender says about it. */
export type StoredContent = {
  sha256: string
  size: number
  content_type: string
  /** How many bytes the files of the workspace may have together; 0 is no limit. */
  workspace_bytes: number
}

export function presentFile(row: FileRow, { schema }: Pick<Scope, 'schema'>): FileObject {
  const resource = resourceOfPart({ schema }, row)?.type ?? ''
  return { id: row.id, type: 'files', attributes: shownOf(file, { ...row, resource }) }
}

/** A page of the files of a record, latest first. */
export async function listFiles(
  scope: Scope,
  resource: Resource,
  { id, asked }: { id: string; asked: RawParameters },
): Promise<PageOf<FileObject>> {
  requireAbilities(scope, ['read'])
  return inSnapshot(scope, async (inside) => {
    const record_id = await requireRecord(inside, resource, id)
    const { page, per_page } = parseOrRefuse(asked.issues, (report) => parsePageQuery(asked.raw, [], report))
    const { rows, total } = await loadFiles(inside, { record_id, limit: per_page, offset: (page - 1) * per_page })
    return { data: rows.map((row) => presentFile(row, inside)), total, page, per_page }
  })
}

/** A file of a live record. */
export async function readFile(scope: Scope, id: string, issues: readonly Issue[]): Promise<FileRow> {
  requireAbilities(scope, ['read'])
  const row = await readPartRow(scope, 'files', id)
  refuseIfAny([...issues])
  return row
}

type Upload = { id: string; issues: readonly Issue[] }

/** Before a file is received: refuses what cannot be stored. A request that may repeat an earlier one is accepted. */
export async function expectFile(
  scope: Scope,
  resource: Resource,
  { id, issues, mayRepeat }: Upload & { mayRepeat: boolean },
): Promise<void> {
  requireAbilities(scope, ['create', 'update'])
  await inSnapshot(scope, async (inside) => {
    const found = await findRecord(inside, resource, idInPath(resource, id))
    // What was carried out before had no issues.
    if (mayRepeat && issues.length === 0) return
    if (!found) return refuseMissing(inside, resource, id)
    refuseIfAny([...issues, ...(await tooMany(inside, found.id))])
  })
}

async function tooMany(scope: Scope, recordId: string): Promise<Issue[]> {
  if ((await partTables.files.count(scope, { record_id: recordId, deleted_at: null })) < FILES_PER_RECORD_MAX) return []
  const message = `The record has ${FILES_PER_RECORD_MAX} files, and cannot have more. Delete some of them first.`
  return [{ path: 'file', message }]
}

/** Adds a file with a stored content to a record. The record itself is not changed. */
export function addFile(
  scope: Scope,
  named: Resource,
  { id, name, content, issues }: Upload & { name: string; content: StoredContent },
): Promise<FileObject> {
  requireAbilities(scope, ['create', 'update'])
  const { workspace_bytes, sha256, size, content_type } = content
  return writing(scope, async (inside) => {
    const resource = requireResource(inside.schema, named.type)
    const recordId = idInPath(resource, id)
    // Uploads count what the others have stored.
    if (workspace_bytes > 0) await inside.engine.lock(inside.db, [`files ${inside.workspace.id}`])
    await lockRows(inside, [{ of: resource.number, ids: [recordId], mode: 'change' }])
    const record_id = await requireRecord(inside, resource, id)
    refuseIfAny([...issues, ...(await tooMany(inside, record_id)), ...(await tooLarge(inside, content))])
    const at = inside.now()
    if (!(await useContent(inside, sha256, newId(at.getTime())))) refuseRemoved()
    const time = at.toISOString()
    const row: FileRow = {
      ...{ sha256, size, content_type },
      ...{ workspace_id: inside.workspace.id, id: newId(at.getTime()), resource: resource.number, record_id, name },
      ...{ created_at: time, updated_at: time, creator_id: inside.actor.user_id, deleted_at: null },
    }
    await partTables.files.insert(inside, row)
    await noteParts(inside, 'files', [{ row, action: 'create', change: { kind: 'created', at: time } }])
    return presentFile(row, inside)
  })
}

/** Whether a content that the workspace does not have yet would exceed its limit. */
async function tooLarge(inside: Scope, { sha256, size, workspace_bytes }: StoredContent): Promise<Issue[]> {
  if (workspace_bytes === 0 || (await partTables.files.has(inside, { sha256 }))) return []
  const used = await loadUsedBytes(inside)
  if (used + size <= workspace_bytes) return []
  const [most, now] = [workspace_bytes, used].map((bytes) => Math.ceil(bytes / MB))
  const message =
    `The file has ${size} bytes, which do not fit: the files of the workspace may have ${most} MB together, deleted ` +
    `ones included, and have ${now} MB.`
  return [{ path: 'file', message }]
}

const MB = 1024 * 1024

function refuseRemoved(): never {
  const message = 'An earlier file with the same content is being removed at the moment. Retry shortly.'
  refuse({ kind: 'busy', message, retry_after: 1 })
}

/** What is read and cannot be changed is ignored. */
const ignored = Object.keys(file).filter((key) => !(key in fileChanges))

/** Renames a file. */
export function updateFile(
  scope: Scope,
  { id, body, issues }: { id: string; body: unknown; issues: readonly Issue[] },
): Promise<FileObject> {
  requireAbilities(scope, ['update'])
  return writing(scope, async (inside) => {
    const row = await lockShownPart(inside, 'files', id)
    const { name = row.name } = parseOrRefuse(issues, (report) => readSent(body, fileChanges, report, { ignored }))
    if (name === row.name) return presentFile(row, inside)
    return presentFile(await storeText(inside, 'files', { row, text: ['name', row.name, name] }), inside)
  })
}

/** Deletes a file. It can be restored for 30 days. */
export function removeFile(scope: Scope, id: string, issues: readonly Issue[]): Promise<void> {
  requireAbilities(scope, ['delete'])
  return writing(scope, async (inside) => {
    const row = await lockShownPart(inside, 'files', id)
    refuseIfAny([...issues])
    await storeDeletion(inside, 'files', { row })
  })
}

/** Restores a deleted file. One that is not deleted is not changed. */
export function restoreFile(scope: Scope, id: string, issues: readonly Issue[]): Promise<FileObject> {
  requireAbilities(scope, ['update'])
  return writing(scope, async (inside) => {
    const row = await lockKnownPart(inside, 'files', id)
    if (row.deleted_at !== null) return presentFile(await returnFile(inside, row, { issues }), inside)
    refuseIfAny([...issues])
    return presentFile(row, inside)
  })
}

/** Restores a locked file that is deleted. Refuses if it is too late, or if its record has too many files. */
export async function returnFile(
  inside: Scope,
  row: FileRow,
  { issues = [], undo_of }: { issues?: readonly Issue[]; undo_of?: string },
): Promise<FileRow> {
  requireRestorable(inside, 'files', row)
  refuseIfAny([...issues, ...(await tooMany(inside, row.record_id))])
  return storeReturn(inside, 'files', { row, undo_of })
}
