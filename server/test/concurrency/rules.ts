import { resourceNames } from '@kith/contract/resource'
import type { Runtime } from '../../src/scope/scope.ts'
import { sql } from '../../src/storage/engines/sql.ts'
import { derived } from '../derived/derived-state.ts'
import { storedRecords, storedValues } from '../stored-rows.ts'

/** What must be true of a workspace at every moment. Returns a sentence for each rule that is broken. */
export async function brokenRules(at: { id: string; place: { runtime: Runtime } }): Promise<string[]> {
  return [
    ...(await sharedValues(at)),
    ...(await namedLosers(at)),
    ...(await losersInValues(at)),
    ...(await lostComments(at)),
    ...(await wrongCounts(at)),
  ]
}

type At = Parameters<typeof brokenRules>[0]

/** Unique values are unique. */
async function sharedValues({ id, place }: At): Promise<string[]> {
  const rows = await sql<{ code: string; match_key: string; times: number }>`
    select f.code, v.match_key, count(distinct v.record_id) as times
    from custom_fields f join ${storedValues} on v.workspace_id = f.workspace_id and v.field_id = f.id
    where f.workspace_id = ${id} and f.${sql.ref('unique')} = 1 and f.code = 'domains'
    group by f.code, v.match_key having count(distinct v.record_id) > 1`.all(place.runtime.engine.db)
  return rows.map(({ code, match_key, times }) => `${times} records hold ${match_key} in the unique field ${code}.`)
}

/** A merge moves every reference to a loser, so that none is left until the merge is undone. */
async function namedLosers({ id, place }: At): Promise<string[]> {
  const columns = [
    ['people', 'company_id'],
    ['opportunities', 'company_id'],
    ['opportunities', 'contact_id'],
  ] as const
  const problems = columns.map(async ([type, column]) => {
    const rows = await sql<{ id: string; named: string }>`
      select r.id, r.${sql.ref(column)} as named from ${storedRecords(type)}
      join merge_losers l on l.workspace_id = r.workspace_id and l.record_id = r.${sql.ref(column)}
      join merges m on m.workspace_id = l.workspace_id and m.id = l.merge_id and m.undone_at is null
      where r.workspace_id = ${id}`.all(place.runtime.engine.db)
    return rows.map(
      (row) => `The ${column} of ${row.id} in ${type} is ${row.named}, which was merged into another record.`,
    )
  })
  return (await Promise.all(problems)).flat()
}

/** The same for values of live records. */
async function losersInValues({ id, place }: At): Promise<string[]> {
  const rows = await sql<{ record_id: string; named: string; code: string }>`
    select v.record_id, v.match_key as named, f.code from ${storedValues}
    join custom_fields f on f.workspace_id = v.workspace_id and f.id = v.field_id and f.type = 'record'
    join merge_losers l on l.workspace_id = v.workspace_id and l.record_id = v.match_key
    join merges m on m.workspace_id = l.workspace_id and m.id = l.merge_id and m.undone_at is null
    where v.workspace_id = ${id}`.all(place.runtime.engine.db)
  return rows.map(({ record_id, named, code }) => `The ${code} of ${record_id} names ${named}, which was merged.`)
}

/** Comments are on no loser of a merge, and replies on the record of their comment. */
async function lostComments({ id, place }: At): Promise<string[]> {
  const merged = await sql<{ id: string }>`select c.id from comments c
    join merge_losers l on l.workspace_id = c.workspace_id and l.record_id = c.record_id
    join merges m on m.workspace_id = l.workspace_id and m.id = l.merge_id and m.undone_at is null
    where c.workspace_id = ${id}`.all(place.runtime.engine.db)
  const apart = await sql<{ id: string }>`select c.id from comments c
    join comments p on p.workspace_id = c.workspace_id and p.id = c.reply_to and p.record_id <> c.record_id
    where c.workspace_id = ${id}`.all(place.runtime.engine.db)
  return [
    ...merged.map((one) => `The comment ${one.id} is on a record that was merged.`),
    ...apart.map((one) => `The comment ${one.id} is not on the record of the comment that it replies to.`),
  ]
}

async function wrongCounts({ id, place }: At): Promise<string[]> {
  const { counts } = await derived({ id, runtime: place.runtime })
  const problems = resourceNames.map(async (type) => {
    const row = await sql<{ live: number }>`select count(*) as live from ${storedRecords(type)}
      where workspace_id = ${id} and deleted_at is null`.one(place.runtime.engine.db)
    const live = row?.live
    return live === counts[type] ? [] : [`There are ${live} ${type}, and ${counts[type]} are counted.`]
  })
  return (await Promise.all(problems)).flat()
}
