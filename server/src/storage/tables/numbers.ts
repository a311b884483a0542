import { type ResourceName, resourceIn } from '@kith/contract/resource'
import type { RecordTenant } from '../engines/engine.ts'
import { type Sql, type SqlBool, sql } from '../engines/sql.ts'

/** Whether a row of `records` under an alias belongs to a resource of the workspace. */
export function isOf(tenant: RecordTenant, resource: ResourceName, alias: string): Sql<SqlBool> {
  return isNumbered(tenant, resourceIn(tenant.schema, resource).number, alias)
}

/** The same, for a resource by its number. */
export function isNumbered(
  { workspace }: Pick<RecordTenant, 'workspace'>,
  number: number,
  alias: string,
): Sql<SqlBool> {
  return sql`${sql.ref(`${alias}.workspace`)} = ${workspace.number} and ${sql.ref(`${alias}.resource`)} = ${sql.lit(number)}`
}

/** The column that holds an attribute. All resources share the columns. */
export function columnOf(attribute: string): string {
  return attribute === 'title' ? 'name' : attribute
}
