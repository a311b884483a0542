import type { Resource, ResourceName } from '@kith/contract/resource'
import type { Scope } from '../../scope/scope.ts'
import { type Sql, sql } from '../engines/sql.ts'

type Referred = { resource: Resource; column: string; id: string }

/** Gives the live records whose column refers to a record a new time. */
export async function touchReferring(inside: Scope, { resource, column, id }: Referred, at: string): Promise<void> {
  await sql`update ${sql.table(resource.type)} set updated_at = ${at} where workspace_id = ${inside.workspace.id}
    and ${sql.ref(column)} = ${id} and deleted_at is null`.run(inside.db)
}

/** The live records of a resource that are linked to a record. */
export function loadLinking(
  inside: Scope,
  type: ResourceName,
  id: string,
): Promise<{ id: string; updated_at: string }[]> {
  return sql<{ id: string; updated_at: string }>`select r.id, r.updated_at from ${sql.table(type)} r
    where r.workspace_id = ${inside.workspace.id} and r.deleted_at is null and r.id in (${linkingIds(inside, type, id)})
    order by r.id`.all(inside.db)
}

/** Gives the same records a new time. */
export async function touchLinking(
  inside: Scope,
  { type, id }: { type: ResourceName; id: string },
  at: string,
): Promise<void> {
  await sql`update ${sql.table(type)} set updated_at = ${at} where workspace_id = ${inside.workspace.id}
    and deleted_at is null and id in (${linkingIds(inside, type, id)})`.run(inside.db)
}

function linkingIds(inside: Scope, type: ResourceName, id: string): Sql<unknown> {
  return sql`select l.from_id from links l
    where l.workspace_id = ${inside.workspace.id} and l.to_id = ${id} and l.from_type = ${type}`
}
