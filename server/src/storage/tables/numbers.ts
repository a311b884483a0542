import { registry } from '@kith/contract/registry'
import type { ResourceName } from '@kith/contract/resource'
import type { RecordTenant } from '../engines/engine.ts'
import { type Sql, type SqlBool, sql } from '../engines/sql.ts'

/** Whether a row of `records` under an alias belongs to a resource of the workspace. */
export function isOf({ workspace }: RecordTenant, resource: ResourceName, alias: string): Sql<SqlBool> {
  const { number } = registry[resource]
  return sql`${sql.ref(`${alias}.workspace`)} = ${workspace.number} and ${sql.ref(`${alias}.resource`)} = ${sql.lit(number)}`
}

/** The column that holds an attribute: that of the name or title is called `name`. */
export function columnOf(attribute: string): string {
  return attribute === 'title' ? 'name' : attribute
}
