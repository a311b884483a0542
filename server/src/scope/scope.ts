import { type Ability, abilities, type Role } from '@kith/contract/abilities'
import type { Schema } from '@kith/contract/resource'
import type { ContentStore } from '../contents/content-store.ts'
import type { Engine, Inside, NumberedTenant, Origin } from '../storage/engines/engine.ts'
import { posting as postingDb, takeBack } from '../storage/engines/transactions.ts'

export type WorkspaceFacts = {
  id: string
  /** By which the tables of records refer to it. */
  number: number
  slug: string
  name: string
  fields_version: number
  /** Grows with every write in the workspace. Only for lists with a tag. */
  version?: number | undefined
}

/** The actor. The member's role and the token's abilities must both allow an operation. */
export type Actor = Origin & { role: Role; abilities: readonly Ability[] }

/** The part of a scope that is plain data and can be sent to another thread. */
export type ScopeFacts = { workspace: WorkspaceFacts; actor: Actor }

/** Tenancy, actor and transaction. Enough for work that reads no records. */
export type Tenancy = NumberedTenant &
  ScopeFacts & {
    inside: Inside
    /** Whether it runs on the event loop outside of any queue, so that it must not read much. */
    short?: boolean
    now(): Date
    /** The batch, import or other work of several writes that this is a part of. */
    event?: string | undefined
    /** The installation's secret, with which cursors are signed. */
    secret: string
  }

/** The explicit first argument of every operation. `schema` has the resources at the version of the workspace. */
export type Scope = Tenancy & { schema: Schema }

/** The parts that all scopes of a process or thread share. */
export type Runtime = {
  engine: Engine
  secret: string
  now(): Date
  /** The time limit of a read; undefined or 0 means no limit. */
  query_seconds?: number
  /** Reads the contents of files, where calls need them. */
  openContent?: ContentStore['open']
}

export function tenancyFor({ engine, secret, now }: Runtime, { workspace, actor }: ScopeFacts): Tenancy {
  return { workspace, actor, engine, db: engine.db, inside: false, now, secret }
}

/** The facts of a member without a token: only the role limits their operations. */
export function factsOfMember(
  { id, number, slug, name, fields_version }: WorkspaceFacts,
  member: Pick<Actor, 'user_id' | 'role' | 'source'>,
): ScopeFacts {
  return { workspace: { id, number, slug, name, fields_version }, actor: { ...member, abilities, token_id: null } }
}

/**
 * For a read with one statement that finds few rows along an index. On a database server such statements share a
 * connection, on which they are sent without waiting for each other.
 */
export function forShortRead<S extends Tenancy>(scope: S): S {
  return scope.inside ? scope : { ...scope, db: scope.engine.short }
}

/** Runs the work in a transaction. Joins the current one if the scope is already inside a transaction. */
export function inTransaction<S extends Tenancy, T>(scope: S, work: (inside: S) => Promise<T>): Promise<T> {
  if (isInTransaction(scope)) return work(scope)
  return scope.engine.transaction((db) => work({ ...scope, db, inside: 'transaction' }))
}

/** Runs the work in a transaction and rolls it back. For dry runs. */
export function inRehearsal<S extends Tenancy, T>(scope: S, work: (inside: S) => Promise<T>): Promise<T> {
  return inTransaction(scope, (inside) => takeBack(inside.db, (db) => work({ ...inside, db })))
}

/** Like `inTransaction`, but shares the transaction with concurrent work of the same kind in the workspace. */
export function inGroupTransaction<S extends Tenancy, T>(
  scope: S,
  kind: string,
  work: (inside: S) => Promise<T>,
): Promise<T> {
  if (isInTransaction(scope)) return work(scope)
  const name = `${scope.workspace.id} ${kind}`
  return scope.engine.groupTransaction(name, (db) => work({ ...scope, db, inside: 'transaction' }))
}

/**
 * Reads everything in one snapshot. An operation that reads with more than one statement uses it, so that its rows,
 * total and related records agree with each other. Inside a transaction or another snapshot the work joins it.
 */
export function inSnapshot<S extends Tenancy, T>(scope: S, work: (inside: S) => Promise<T>): Promise<T> {
  if (scope.inside) return work(scope)
  return scope.engine.readTransaction((db) => work({ ...scope, db, inside: 'snapshot' }))
}

function isInTransaction({ inside }: Tenancy): boolean {
  if (inside === 'snapshot') throw new Error('A write cannot run inside a snapshot.')
  return inside === 'transaction'
}

/** For writes whose results are not needed: does not wait for a remote database until the commit. */
export function posting<S extends Tenancy>(inside: S): S {
  return { ...inside, db: postingDb(inside.db) }
}
