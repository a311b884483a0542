import type { Definitions } from '@kith/contract/field-definition'
import type { Resource } from '@kith/contract/resource'
import { definitionsAt } from '../fields/definitions.ts'
import { inSharedTransaction, inTransaction, type Scope } from '../scope/scope.ts'

type Work<T> = (inside: Scope, definitions: Definitions) => Promise<T>

/**
 * Runs a write in a transaction, with the field definitions that hold until it ends. Usually they are those with which the request
 * was admitted, which is expected first. If they have changed since, the write runs again.
 */
export async function writing<T>(scope: Scope, work: Work<T>): Promise<T> {
  return expecting(scope, work, inTransaction)
}

/** Likewise a write of a single record, which may share a transaction with others of the same resource. */
export function writingOne<T>(scope: Scope, resource: Resource, work: Work<T>): Promise<T> {
  return expecting(scope, work, (outside, inside) => inSharedTransaction(outside, resource.type, inside))
}

type Begin = <T>(scope: Scope, work: (inside: Scope) => Promise<T>) => Promise<T>

async function expecting<T>(scope: Scope, work: Work<T>, begin: Begin): Promise<T> {
  const { engine, workspace } = scope
  const hold = (inside: Scope) => engine.holdFields(inside.db, workspace.id)
  const expect = (inside: Scope) => engine.expectFields(inside.db, workspace.id, workspace.fields_version)
  // A joined transaction cannot be restarted.
  if (scope.inside === 'transaction') return work(...(await held(scope, hold)))
  try {
    return await begin(scope, async (inside) => work(...(await held(inside, expect))))
  } catch (error) {
    if (engine.violation(error) !== 'fields') throw error
    return inTransaction(scope, async (inside) => work(...(await held(inside, hold))))
  }
}

async function held(inside: Scope, hold: (inside: Scope) => Promise<number>): Promise<[Scope, Definitions]> {
  const fields_version = await hold(inside)
  const definitions = await definitionsAt(inside, fields_version)
  return [{ ...inside, workspace: { ...inside.workspace, fields_version } }, definitions]
}
