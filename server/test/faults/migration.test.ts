import { expect, it } from 'vitest'
import { loadApplied, migrate, migrations } from '../../src/storage/migrations/migrate.ts'
import { testDatabase, testEngine } from '../engine.ts'
import { installation } from '../installation.ts'
import { runtimeAt } from '../workspace.ts'

const good = {
  name: '9998-good',
  statements: () => ['create table begun (id text primary key)', "insert into begun values ('a')"],
}
const bad = {
  name: '9999-bad',
  statements: () => ['create table half (id text primary key)', 'insert into nowhere values (1)'],
}

it('a migration that fails half way leaves the old state, whatever ran before it', async () => {
  const engine = await testEngine()
  const before = { tables: await engine.loadTables(engine.db), applied: await loadApplied(engine.db) }
  await expect(migrate(engine, new Date(), [...migrations, good, bad])).rejects.toThrow(/nowhere/)
  expect(await engine.loadTables(engine.db)).toEqual(before.tables)
  expect(await loadApplied(engine.db)).toEqual(before.applied)
  // With the step fixed, the migration runs.
  expect(await migrate(engine, new Date(), [...migrations, good])).toEqual(['9998-good'])
  expect((await engine.loadTables(engine.db)).map((table) => table.name)).toContain('begun')
  await engine.close()
})

it('a first migration that fails leaves an empty database, on which the service then starts', async () => {
  const fresh = await installation(undefined, undefined, testDatabase)
  const runtime = runtimeAt(fresh.database.url, fresh.env.SECRET ?? '')
  await expect(migrate(runtime.engine, new Date(), [...migrations, bad])).rejects.toThrow(/nowhere/)
  expect(await runtime.engine.loadTables(runtime.engine.db)).toEqual([])
  await runtime.engine.close()
  const service = await fresh.start()
  expect((await fetch(`${service.url}/readyz`)).status).toBe(200)
  await service.stop()
})
