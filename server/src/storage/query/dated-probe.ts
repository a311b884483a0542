import type { Condition } from '@kith/contract/filter'
import type { Scope } from '../../scope/scope.ts'
import { type RawBuilder, type SqlBool, sql } from '../engines/sql.ts'
import { compileAll, compileFilter } from './filter.ts'
import { andInTime, hasKey, type Keys } from './tests.ts'

/**
 * The conditions that must all hold for `r0`, of which the id and the time of creation are known. Whether it has one certain key is
 * seen in the index of that key, which is a small part of all values: few pages of it have to be read, however many records there are.
 * PostgreSQL finds the record's own values sooner.
 */
export function compileDated(scope: Scope, conditions: readonly Condition[]): RawBuilder<SqlBool> {
  if (scope.engine.dialect !== 'sqlite' || conditions.length === 0) return compileAll(scope, conditions)
  return sql`(${sql.join(
    conditions.map((condition) => datedProbe(scope, condition) ?? compileFilter(scope, condition)),
    sql` and `,
  )} ${andInTime(scope)})`
}

function datedProbe(scope: Scope, condition: Condition): RawBuilder<SqlBool> | undefined {
  const key = condition.node === 'field' ? singleKey(condition) : undefined
  if (condition.node !== 'field' || !key) return undefined
  return sql`exists (select 1 from field_values v where v.workspace_id = ${scope.workspace.id}
    and v.field_id = ${condition.field.id} and ${hasKey(key)}
    and v.created_at = r0.created_at and v.record_id = r0.id)`
}

/** The one key that a condition asks for. */
export function singleKey({ test }: Condition & { node: 'field' }): Keys | undefined {
  if (test.test === 'exact') return { keys: [test.key], texts: [test.text] }
  return test.test === 'any' && test.keys.length === 1 ? test : undefined
}
