import type { Ability, Role } from '@kith/contract/abilities'
import type { Db, Engine } from '../storage/engines/engine.ts'

/** How a call reached the server. Records store it as `creation_source`; the command line stores `import`. */
export type Source = 'web' | 'api' | 'mcp' | 'import' | 'sample' | 'cli'

export type WorkspaceFacts = { id: string; slug: string; name: string; fields_version: number }

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

/** Runs the work in a transaction; when the scope stands in one already, the work joins it. */
export function inTransaction<T>(scope: Scope, work: (inside: Scope) => Promise<T>): Promise<T> {
  if (isInTransaction(scope)) return work(scope)
  return scope.engine.transaction((db) => work({ ...scope, db, inside: 'transaction' }))
}

/** Likewise, in a transaction that others of the workspace may share who come for the same kind of thing. */
export function inSharedTransaction<T>(scope: Scope, kind: string, work: (inside: Scope) => Promise<T>): Promise<T> {
  if (isInTransaction(scope)) return work(scope)
  const name = `${scope.workspace.id} ${kind}`
  return scope.engine.sharedTransaction(name, (db) => work({ ...scope, db, inside: 'transaction' }))
}

/**
 * Reads everything as of one moment. An operation that reads with more than one statement does so in here: its rows, total and related records then agree with
 * each other. In a transaction or in another snapshot the work joins it.
 */
export function inSnapshot<T>(scope: Scope, work: (inside: Scope) => Promise<T>): Promise<T> {
  if (scope.inside) return work(scope)
  return scope.engine.readTransaction((db) => work({ ...scope, db, inside: 'snapshot' }))
}

/** Sends work out of a transaction that it shares with others, to run in one of its own. It must not have written yet. */
export function leaveShared({ db }: Scope): void {
  db.shared?.leave()
}

function isInTransaction({ inside }: Scope): boolean {
  if (inside === 'snapshot') throw new Error('A write cannot run inside a snapshot.')
  return inside === 'transaction'
}

/** Writes to different tables that are sent to the database together. */
export function together(inside: Scope, work: (gathering: Scope) => Promise<void>): Promise<void> {
  return inside.engine.together(inside.db, (db) => work({ ...inside, db }))
}
