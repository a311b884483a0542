import type { Condition } from '@kith/contract/filter'
import type { Resource } from '@kith/contract/resource'
import type { Group } from '@kith/contract/summary'
import type { Reader } from '../engines/engine.ts'
import { sql } from '../engines/sql.ts'
import { keyWithin } from './periods.ts'
import { groupValues, valueColumns } from './property-values.ts'
import { planOf } from './summary.ts'

/** A record with the option that it has now, and its owner. */
export type StagedRecord = { id: string; created_at: string; option: string | null; owner: string | null }

type StagedQuery = {
  filter?: Condition | undefined
  stage: Group
  owner: Group | undefined
  after: string
  limit: number
}

/** The next records behind an id that meet a filter. */
export async function loadStaged(scope: Reader, resource: Resource, asked: StagedQuery): Promise<StagedRecord[]> {
  const { stage, owner, after, limit } = asked
  const plan = await planOf(scope, resource, asked)
  const at = { alias: 'b', keyOf: keyWithin(undefined) }
  const values = groupValues(scope, stage, { ...at, number: '0' })
  const owners = owner && groupValues(scope, owner, { ...at, number: '1' })
  const columns = sql.join(valueColumns.map((name) => sql.ref(`r0.${name}`)))
  return sql<StagedRecord>`
    select b.id, b.created_at, ${values.value} as option, ${owners?.value ?? sql`cast(null as text)`} as owner
    from (${plan.with} select ${columns} ${plan.from} and r0.id > ${after}
      order by r0.id limit ${sql.unseen(limit)}) b ${values.join} ${owners?.join ?? sql``}
    order by b.id`.all(scope.db)
}
