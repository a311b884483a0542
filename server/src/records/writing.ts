import type { Definitions } from '@kith/contract/field-definition'
import type { Resource } from '@kith/contract/resource'
import { definitionsAt } from '../fields/definitions.ts'
import { inGroupTransaction, inTransaction, type Scope } from '../scope/scope.ts'

type Work<T> = (inside: Scope, definitions: Definitions) => Promise<T>

/** Runs a write in a transaction. The field definitions are locked, so they stay the same until it ends. */
export function writing<T>(scope: Scope, work: Work<T>): Promise<T> {
  return inTransaction(scope, (inside) => withFields(inside, work))
}

/** The same for a write of a single record, which may share a transaction with others of the same resource. */
export function writingOne<T>(scope: Scope, resource: Resource, work: Work<T>): Promise<T> {
  return inGroupTransaction(scope, resource.type, (inside) => withFields(inside, work))
}

async function withFields<T>(inside: Scope, work: Work<T>): Promise<T> {
  const fields_version = await inside.engine.holdFields(inside.db, inside.workspace.id)
  const definitions = await definitionsAt(inside, fields_version)
  return work({ ...inside, workspace: { ...inside.workspace, fields_version } }, definitions)
}
