import type { Scope } from '../../scope/scope.ts'
import type { Engine } from '../engines/engine.ts'
import { sql } from '../engines/sql.ts'

/** A file belongs to a workspace. Its pieces are text, which every copy of the database can hold. */
type FileName = { workspace_id: string; file_id: string }

/** Each piece is stored by itself: a file is larger than a transaction should be. */
export async function insertPiece(engine: Engine, name: FileName, piece: { piece: number; content: string }) {
  await sql`insert into job_files ${sql.values({ ...name, ...piece })}`.run(engine.single)
}

export function findPiece({ db, workspace }: Scope, fileId: string, piece: number): Promise<string | undefined> {
  return sql<string>`select content from job_files
    where workspace_id = ${workspace.id} and file_id = ${fileId} and piece = ${piece}`.value(db)
}

/** Files that no job needs: unfinished uploads from before an id, and those of jobs that ended before a time. */
export function findOldFiles(
  engine: Engine,
  workspaceId: string,
  { first_id, ended_before }: { first_id: string; ended_before: string },
): Promise<string[]> {
  const needed = sql`select 1 from jobs j where j.workspace_id = f.workspace_id and j.file_id = f.file_id
    and (j.finished_at is null or j.finished_at > ${ended_before})`
  return sql<string>`select f.file_id from job_files f where f.workspace_id = ${workspaceId} and f.piece = 0
    and f.file_id < ${first_id} and not exists (${needed}) order by f.file_id`.column(engine.db)
}

/** Deletes a file piece by piece. The first piece goes last, so that an interrupted deletion is found again. */
export async function deleteFile(engine: Engine, { workspace_id, file_id }: FileName): Promise<void> {
  const last = sql`select max(piece) from job_files where workspace_id = ${workspace_id} and file_id = ${file_id}`
  for (let piece = await last.count(engine.db); piece >= 0; piece -= PIECES) {
    await sql`delete from job_files where workspace_id = ${workspace_id} and file_id = ${file_id}
      and piece > ${piece - PIECES}`.run(engine.single)
  }
}

const PIECES = 50
