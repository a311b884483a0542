import { type Ability, abilities, type Role } from '@kith/contract/abilities'
import type { Db, Engine } from '../storage/engines/engine.ts'
import { posting as postingDb, takeBack } from '../storage/engines/transactions.ts'

/** How a call reached the server. Records store it as `creation_source`; the command line stores `import`. */
export type Source = 'web' | 'api' | 'mcp' | 'import' | 'sample' | 'cli'

export type WorkspaceFacts = {
  id: string
  slug: string
  name: string
  fields_version: number
  /** Grows with every write in the workspace. Only for lists with a tag. */
  version?: number | undefined
}

/** Who acts. A member's role and a token's abilities must both allow what is done. */
export type Actor = {
  user_id: string
  role: Role
  abilities: readonly Ability[]
  token_id: string | null
  source: Source
}

/** The part of a scope that is plain data and can travel to another thread. */
export type ScopeFacts = { workspace: WorkspaceFacts; actor: Actor }

/** Tenancy, actor and transaction: the explicit first argument of every operation. */
export type Scope = ScopeFacts & {
  engine: Engine
  /** Inside a transaction this is the transaction, inside a snapshot the snapshot. */
  db: Db
  /** `snapshot`: everything is read as of one moment, and nothing can be written. */
  inside: false | 'transaction' | 'snapshot'
  now(): Date
  /** The installation's secret, with which cursors are signed. */
  secret: string
}

/** The part of a scope with which rows of its workspace are written. */
export type Writing = Pick<Scope, 'engine' | 'db'> & { workspace: { id: string } }

/** What every scope of a process or thread has in common. */
export type Runtime = {
  engine: Engine
  secret: string
  now(): Date
  /** How long a request may read; without it, or with 0, as long as it needs. */
  query_seconds?: number
}

export function scopeFor({ engine, secret, now }: Runtime, { workspace, actor }: ScopeFacts): Scope {
  return { workspace, actor, engine, db: engine.db, inside: false, now, secret }
}

type MemberFacts = Pick<Actor, 'user_id' | 'role' | 'source'>

/** The scope of a member without a token: only the role limits what they may do. */
export function scopeOfMember(runtime: Runtime, workspace: WorkspaceFacts, member: MemberFacts): Scope {
  const { id, slug, name, fields_version } = workspace
  const actor = { ...member, abilities, token_id: null }
  return scopeFor(runtime, { workspace: { id, slug, name, fields_version }, actor })
}

/** Runs the work in a transaction. If the scope is inside one already, the work joins it. */
export function inTransaction<T>(scope: Scope, work: (inside: Scope) => Promise<T>): Promise<T> {
  if (isInTransaction(scope)) return work(scope)
  return scope.engine.transaction((db) => work({ ...scope, db, inside: 'transaction' }))
}

/** Runs the work in a transaction and takes back all that it has written. For dry runs. */
export function inRehearsal<T>(scope: Scope, work: (inside: Scope) => Promise<T>): Promise<T> {
  return inTransaction(scope, (inside) => takeBack(inside.db, (db) => work({ ...inside, db })))
}

/** The same, in one transaction with other work of the same kind in the workspace that comes at the same time. */
export function inGroupTransaction<T>(scope: Scope, kind: string, work: (inside: Scope) => Promise<T>): Promise<T> {
  if (isInTransaction(scope)) return work(scope)
  const name = `${scope.workspace.id} ${kind}`
  return scope.engine.groupTransaction(name, (db) => work({ ...scope, db, inside: 'transaction' }))
}

/**
 * Reads everything in one snapshot. An operation that reads with more than one statement uses it, so that its rows,
 * total and related records agree with each other. Inside a transaction or another snapshot the work joins it.
 */
export function inSnapshot<T>(scope: Scope, work: (inside: Scope) => Promise<T>): Promise<T> {
  if (scope.inside) return work(scope)
  return scope.engine.readTransaction((db) => work({ ...scope, db, inside: 'snapshot' }))
}

function isInTransaction({ inside }: Scope): boolean {
  if (inside === 'snapshot') throw new Error('A write cannot run inside a snapshot.')
  return inside === 'transaction'
}

/** For writes whose results are not needed: a remote database is not waited for until the commit. */
export function posting(inside: Scope): Scope {
  return { ...inside, db: postingDb(inside.db) }
}
