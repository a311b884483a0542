import type { Condition } from '@kith/contract/filter'
import type { Resource } from '@kith/contract/resource'
import type { Scope } from '../../scope/scope.ts'
import { sql } from '../engines/sql.ts'
import { loadLiveCount } from '../tables/counts.ts'
import { type LightRow, syncColumns } from '../tables/records.ts'
import { loadRows } from './pages.ts'
import { planList } from './plan.ts'

type IdPage = { filter?: Condition | undefined; after: string; limit: number; window?: number }

/** The next records by id, and up to which id they were looked for: undefined at the end. */
type LoadedIdPage = { rows: LightRow[]; until: string | undefined }

/** How many records a filter that no index answers is checked on in one statement, so that each of them is short. */
const WINDOW = 20_000

/** The live records after an id, in the order of their ids, as the sync form shows them. */
export async function loadIdPage(scope: Scope, resource: Resource, page: IdPage): Promise<LoadedIdPage> {
  const { filter, after, limit, window = WINDOW } = page
  // Without a filter the plan does not depend on the number of records.
  const live = filter ? await loadLiveCount(scope, resource.type) : 0
  const plan = await planList(scope, resource, { filter, sort: [], live })
  const end = filter && !plan.narrow ? await findIdAt(scope, resource, { after, offset: window - 1 }) : undefined
  const from = end === undefined ? plan.from : sql`${plan.from} and r0.id <= ${end}`
  const columns = sql.raw(syncColumns(resource))
  const part = { sort: [], limit, offset: 0, place: { keys: [], id: after }, columns }
  const rows = await loadRows(scope, resource, { ...part, plan: { ...plan, from } })
  return { rows, until: rows.length === limit ? rows.at(-1)?.id : end }
}

/** The id so many records behind the next one after an id, deleted ones included: only an index is read. */
function findIdAt(scope: Scope, resource: Resource, { after, offset }: { after: string; offset: number }) {
  return sql<string>`select r0.id from ${sql.table(resource.type)} r0
    where r0.workspace_id = ${scope.workspace.id} and r0.id > ${after}
    order by r0.id limit 1 offset ${sql.unseen(offset)}`.value(scope.db)
}
