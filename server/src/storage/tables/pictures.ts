import type { Scope } from '../../scope/scope.ts'
import type { Db } from '../engines/engine.ts'
import { sql } from '../engines/sql.ts'

/** The picture of a user. It gets another id with each change. */
type PictureRow = {
  user_id: string
  id: string
  /** The media type. */
  type: string
  /** As base64. */
  data: string
}

export async function replacePicture(inside: Db, picture: PictureRow): Promise<void> {
  const { id, type, data } = picture
  await sql`insert into pictures ${sql.values(picture)}
    on conflict (user_id) do update set ${sql.set({ id, type, data })}`.run(inside)
}

export async function deletePicture(inside: Db, userId: string): Promise<void> {
  await sql`delete from pictures where user_id = ${userId}`.run(inside)
}

/** The picture of a member of the workspace. */
export function findPicture({ db, workspace }: Scope, id: string): Promise<PictureRow | undefined> {
  return sql<PictureRow>`select p.* from pictures p join members m on m.user_id = p.user_id
    where p.id = ${id} and m.workspace_id = ${workspace.id}`.one(db)
}

/** The ids of the pictures of the members of the workspace. */
export async function loadPictureIds({ db, workspace }: Scope): Promise<ReadonlyMap<string, string>> {
  const rows = await sql<Pick<PictureRow, 'user_id' | 'id'>>`select p.user_id, p.id from members m
    join pictures p on p.user_id = m.user_id where m.workspace_id = ${workspace.id}`.all(db)
  return new Map(rows.map(({ user_id, id }) => [user_id, id]))
}
