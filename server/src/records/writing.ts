import type { Definitions } from '@kith/contract/field-definition'
import { definitionsOf } from '../custom-fields/definitions.ts'
import { inTransaction, type Scope } from '../scope.ts'

/**
 * Runs a write in a transaction, by the field definitions as they stand and will stand until it ends. They may have changed
 * since the request was let in.
 */
export function writing<T>(scope: Scope, work: (inside: Scope, definitions: Definitions) => Promise<T>): Promise<T> {
  return inTransaction(scope, async (inside) => {
    const fields_version = await inside.engine.holdFields(inside.db, inside.workspace.id)
    const current = { ...inside, workspace: { ...inside.workspace, fields_version } }
    return work(current, await definitionsOf(current))
  })
}
