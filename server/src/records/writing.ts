import type { Definitions } from '@kith/contract/field-definition'
import { definitionsOf } from '../custom-fields/definitions.ts'
import { inTransaction, type Scope } from '../scope.ts'

type Work<T> = (inside: Scope, definitions: Definitions) => Promise<T>

/**
 * Runs a write in a transaction, by the field definitions as they stand and will stand until it ends. Mostly they are those that stood when the request was let in,
 * which is expected first; if they have changed since, all of it is done once more.
 */
export async function writing<T>(scope: Scope, work: Work<T>): Promise<T> {
  const { engine, workspace } = scope
  const hold = (inside: Scope) => engine.holdFields(inside.db, workspace.id)
  // Who has joined a transaction of someone else's cannot begin it once more.
  if (scope.inside) return attempt(scope, hold, work)
  try {
    return await attempt(
      scope,
      (inside) => engine.expectFields(inside.db, workspace.id, workspace.fields_version),
      work,
    )
  } catch (error) {
    if (engine.violation(error) !== 'fields') throw error
    return attempt(scope, hold, work)
  }
}

function attempt<T>(scope: Scope, hold: (inside: Scope) => Promise<number>, work: Work<T>): Promise<T> {
  return inTransaction(scope, async (inside) => {
    const fields_version = await hold(inside)
    const current = { ...inside, workspace: { ...inside.workspace, fields_version } }
    return work(current, await definitionsOf(current))
  })
}
