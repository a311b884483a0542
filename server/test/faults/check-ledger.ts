import { expect } from 'vitest'
import { enterAsOperator } from '../../src/accounts/workspace.ts'
import { reindexWorkspace } from '../../src/records/reindex.ts'
import type { Runtime } from '../../src/scope/scope.ts'
import { sql } from '../../src/storage/engines/sql.ts'
import { derived } from '../derived/derived-state.ts'
import { storedRecords, storedValues } from '../stored-rows.ts'
import type { Ledger } from './ledger.ts'

type Kept = { id: string; name: string; deleted_at: string | null; custom_fields: string }

/**
 * Every answered write is there, nothing is half there, what is derived equals a rebuild, and no key has two holders.
 */
export async function checkLedger(
  runtime: Runtime,
  workspace: { id: string; slug: string },
  ledger: Ledger,
): Promise<void> {
  const { db } = runtime.engine
  const { id } = workspace
  const companies = await sql<Kept>`
    select id, name, deleted_at, custom_fields from ${storedRecords('companies')} where workspace_id = ${id}`.all(db)
  const tasks = await sql<Kept>`
    select id, title as name, deleted_at, custom_fields from ${storedRecords('tasks')} where workspace_id = ${id}`.all(
    db,
  )
  const kept = new Map([...companies, ...tasks].map((row) => [row.id, row]))
  for (const entry of ledger.entries.values()) {
    const row = kept.get(entry.id)
    expect(row, `an answered ${entry.type} record is lost`).toBeDefined()
    if (!row) continue
    expect([...entry.names]).toContain(row.name)
    if (entry.there !== 'open') expect(row.deleted_at === null ? 'yes' : 'no').toBe(entry.there)
  }
  // A creation that was cut off is there with all its values, or not at all.
  for (const row of companies.filter((one) => ledger.openCreations.has(one.name))) {
    expect(Object.keys(JSON.parse(row.custom_fields))).toHaveLength(2)
  }
  // The names of creations differ.
  const names = [...companies, ...tasks].map((row) => row.name).filter((name) => /^w\d+ s\d+$/.test(name))
  const created = names.filter((name) => !isUpserted(name))
  expect(created.length, 'a creation took effect twice').toBe(new Set(created).size)
  const links = await sql<{ from_id: string }>`select from_id from links where workspace_id = ${id}`.all(db)
  expect(links.map((link) => link.from_id).sort()).toEqual(tasks.map((task) => task.id).sort())

  const twice = await sql<{ match_key: string }>`
    select v.match_key from ${storedValues} join custom_fields f on f.id = v.field_id and f.code = 'domains'
    where v.workspace_id = ${id} group by v.match_key having count(*) > 1`.all(db)
  expect(twice).toEqual([])

  const before = await derived({ id, runtime })
  const live = companies.filter((row) => row.deleted_at === null).length
  expect(before.counts).toMatchObject({ companies: live, tasks: tasks.length })
  await reindexWorkspace(await enterAsOperator(runtime, workspace.slug))
  expect(await derived({ id, runtime })).toEqual(before)
}

/** Every fifth step of a writer is an upsert, whose names come and go. */
function isUpserted(name: string): boolean {
  return Number(name.split(' s')[1]) % 5 === 1
}
