import { type FileObject, file, fileChanges } from '@kith/contract/file'
import { newId, parseId } from '@kith/contract/id'
import type { Issue } from '@kith/contract/issue'
import { FILES_PER_RECORD_MAX } from '@kith/contract/limits'
import { parsePageQuery } from '@kith/contract/list-query'
import { parseOrRefuse, refuse, refuseIfAny, refuseUnknownId } from '@kith/contract/refusal'
import type { Resource } from '@kith/contract/resource'
import { readSent, shownOf } from '@kith/contract/shape'
import type { Change } from '../../journal/write.ts'
import { requireAbilities } from '../../scope/permissions.ts'
import { requireResource } from '../../scope/read-input.ts'
import { inSnapshot, type Scope } from '../../scope/scope.ts'
import {
  countFiles,
  type FileRow,
  findFile,
  insertFile,
  isContentUsed,
  loadFiles,
  loadUsedBytes,
  replaceFile,
  useContent,
} from '../../storage/tables/files.ts'
import { lockRows } from '../../storage/tables/links.ts'
import { findRecord } from '../../storage/tables/records.ts'
import { momentAfter } from '../changes.ts'
import type { RawParameters } from '../expected.ts'
import { refuseMissing } from '../merge/merged-into.ts'
import { idInPath } from '../read.ts'
import { type PageOf, restorableSince } from '../trash/trash.ts'
import { lockWhatIsRead, writing } from '../write-targets.ts'
import { noteFiles } from './with-records.ts'

/** A content that is stored and claimed, and what its sender says about it. */
export type StoredContent = {
  sha256: string
  size: number
  content_type: string
  /** How many bytes the files of the workspace may have together; 0 is no limit. */
  workspace_bytes: number
}

export function presentFile(row: FileRow, { schema }: Pick<Scope, 'schema'>): FileObject {
  const resource = resourceOf(row, { schema })?.type ?? ''
  return { id: row.id, type: 'files', attributes: shownOf(file, { ...row, resource }) }
}

/** Undefined if the resource is archived. */
function resourceOf(row: FileRow, { schema }: Pick<Scope, 'schema'>): Resource | undefined {
  return [...schema.values()].find(({ number }) => number === row.resource)
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

async function requireRecord(scope: Scope, resource: Resource, id: string): Promise<string> {
  const found = await findRecord(scope, resource, idInPath(resource, id))
  return found?.id ?? refuseMissing(scope, resource, id)
}

/** A file of a live record. */
export async function readFile(scope: Scope, id: string, issues: readonly Issue[]): Promise<FileRow> {
  requireAbilities(scope, ['read'])
  const row = shownFile(scope, id, await findFile(scope, parseId(id) ?? ''))
  refuseIfAny([...issues])
  return row
}

function shownFile(scope: Scope, id: string, row: FileRow | undefined): FileRow {
  const isThere = row && row.deleted_at === null && resourceOf(row, scope)
  return isThere ? row : refuseUnknownId('file', id)
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
  if ((await countFiles(scope, recordId)) < FILES_PER_RECORD_MAX) return []
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
    await insertFile(inside, row)
    await noteFiles(inside, [{ file: row, action: 'create', change: { kind: 'created', at: time } }])
    return presentFile(row, inside)
  })
}

/** Whether a content that the workspace does not have yet would exceed its limit. */
async function tooLarge(inside: Scope, { sha256, size, workspace_bytes }: StoredContent): Promise<Issue[]> {
  if (workspace_bytes === 0 || (await isContentUsed(inside, sha256))) return []
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
    const row = shownFile(inside, id, await lockFile(inside, id))
    const { name = row.name } = parseOrRefuse(issues, (report) => readSent(body, fileChanges, report, { ignored }))
    return presentFile(name === row.name ? row : await storeName(inside, row, { name }), inside)
  })
}

/** A file, locked together with its record. If a merge moves it meanwhile, the transaction restarts. */
export function lockFile(inside: Scope, id: string): Promise<FileRow | undefined> {
  return lockWhatIsRead(
    inside,
    () => findFile(inside, parseId(id) ?? ''),
    (row) => ({ rows: row ? [{ of: row.resource, ids: [row.record_id], mode: 'change' }] : [] }),
  )
}

/** Gives a locked file another name. `undo_of`: the change that this undoes. */
export async function storeName(
  inside: Scope,
  row: FileRow,
  { name, undo_of }: { name: string; undo_of?: string },
): Promise<FileRow> {
  const at = momentAfter(inside, [row])
  await replaceFile(inside, row.id, { name, updated_at: at })
  const renamed = { ...row, name, updated_at: at }
  const changes: Change[] = [['name', row.name, name]]
  const change = { kind: 'updated', at, changed: ['name'] } as const
  await noteFiles(inside, [{ file: renamed, action: 'update', changes, undo_of, change }])
  return renamed
}

/** Deletes a file. It can be restored for 30 days. */
export function removeFile(scope: Scope, id: string, issues: readonly Issue[]): Promise<void> {
  requireAbilities(scope, ['delete'])
  return writing(scope, async (inside) => {
    const row = shownFile(inside, id, await lockFile(inside, id))
    refuseIfAny([...issues])
    await storeDeletion(inside, row)
  })
}

/** Deletes a locked file. */
export async function storeDeletion(inside: Scope, row: FileRow, undo_of?: string): Promise<void> {
  const at = momentAfter(inside, [row])
  await replaceFile(inside, row.id, { deleted_at: at })
  await noteFiles(inside, [{ file: row, action: 'delete', undo_of, change: { kind: 'deleted', at } }])
}

/** Restores a deleted file. One that is not deleted is not changed. */
export function restoreFile(scope: Scope, id: string, issues: readonly Issue[]): Promise<FileObject> {
  requireAbilities(scope, ['update'])
  return writing(scope, async (inside) => {
    const row = await lockFile(inside, id)
    const isDeleted = row && row.deleted_at !== null && resourceOf(row, inside)
    if (isDeleted) return presentFile(await storeReturn(inside, row, { issues }), inside)
    const shown = shownFile(inside, id, row)
    refuseIfAny([...issues])
    return presentFile(shown, inside)
  })
}

/** Restores a locked file that is deleted. Refuses if it is too late, or if its record has too many files. */
export async function storeReturn(
  inside: Scope,
  row: FileRow,
  { issues = [], undo_of }: { issues?: readonly Issue[]; undo_of?: string },
): Promise<FileRow> {
  if ((row.deleted_at ?? '') <= restorableSince(inside)) refuseUnknownId('file', row.id)
  refuseIfAny([...issues, ...(await tooMany(inside, row.record_id))])
  const at = momentAfter(inside, [row])
  const restored = { ...row, deleted_at: null, updated_at: at }
  await replaceFile(inside, row.id, { deleted_at: null, updated_at: at })
  await noteFiles(inside, [{ file: restored, action: 'restore', undo_of, change: { kind: 'restored', at } }])
  return restored
}
