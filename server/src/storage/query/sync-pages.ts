import type { Condition } from '@kith/contract/filter'
import type { Resource } from '@kith/contract/resource'
import type { SortKey } from '@kith/contract/sort'
import type { Scope } from '../../scope/scope.ts'
import { sql } from '../engines/sql.ts'
import { loadLiveCount } from '../tables/counts.ts'
import { type LightRow, syncColumns } from '../tables/records.ts'
import { type Plan, planList, wholeList } from './plan.ts'

type SyncPage = { filter: Condition | undefined; after: string; limit: number; window?: number }

/** `until` is the id up to which records were checked; undefined for the last one. */
type FoundRows = { rows: LightRow[]; until: string | undefined }

/** How many records are checked for one response, so that a filter that few records meet does not make it slow. */
const WINDOW = 20_000

const BY_ID: readonly SortKey[] = [{ by: 'attribute', name: 'id', descending: false }]

/** The next live records by id, as the sync form shows them. */
export async function loadSyncPage(scope: Scope, resource: Resource, page: SyncPage): Promise<FoundRows> {
  const { filter, after } = page
  if (!filter)
    return { rows: await loadById(scope, resource, { ...page, plan: wholeList(scope, resource) }), until: undefined }
  const live = await loadLiveCount(scope, resource.type)
  const plan = await planList(scope, resource, { filter, sort: BY_ID, live })
  const until = plan.narrow ? undefined : await findWindowEnd(scope, resource, { after, size: page.window ?? WINDOW })
  return { rows: await loadById(scope, resource, { ...page, plan, until }), until }
}

/** The last id of the next records by id, deleted ones included; undefined if there are not as many. */
function findWindowEnd(
  scope: Scope,
  resource: Resource,
  { after, size }: { after: string; size: number },
): Promise<string | undefined> {
  return sql<string>`select r0.id from ${sql.table(resource.type)} r0
    where r0.workspace_id = ${scope.workspace.id} and r0.id > ${after}
    order by r0.id limit 1 offset ${sql.unseen(size - 1)}`.value(scope.db)
}

function loadById(
  scope: Scope,
  resource: Resource,
  { plan, after, until, limit }: SyncPage & { plan: Plan; until?: string | undefined },
): Promise<LightRow[]> {
  const bound = until === undefined ? sql`` : sql`and r0.id <= ${until}`
  return sql<LightRow>`${plan.with} select ${sql.raw(syncColumns(resource))} ${plan.from} and r0.id > ${after} ${bound}
    order by r0.id limit ${sql.unseen(limit)}`.all(scope.db)
}
