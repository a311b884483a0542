import type { Resource } from '@kith/contract/resource'
import type { Scope } from '../../scope/scope.ts'
import { type RawBuilder, sql } from '../engines/sql.ts'
import { type LightRow, lightColumns } from '../tables/records.ts'
import { lookedUp } from './look-up.ts'

export type NumberedPage = { rows: LightRow[]; total: number }

/** What is shown of a record, and what tells where it stands in a list. */
export function columnsOf(resource: Resource): RawBuilder<unknown> {
  return sql`${sql.raw(lightColumns(resource))}, r0.name_key`
}

/** The rows of a page whose ids are found first, as `p`, so that nothing that is not on it is read. */
export function lookedUpRows(
  scope: Scope,
  resource: Resource,
  page: RawBuilder<unknown>,
  besides: RawBuilder<unknown> = sql``,
): RawBuilder<unknown> {
  const where = sql`r0.workspace_id = ${scope.workspace.id} and r0.id = p.page_id`
  return sql`select ${columnsOf(resource)} ${besides}
    ${lookedUp(scope, { each: sql`(${page}) p`, table: resource.type, alias: 'r0', where })}`
}
