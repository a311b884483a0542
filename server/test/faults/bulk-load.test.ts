import { expect, it } from 'vitest'
import type { Engine } from '../../src/storage/engines/engine.ts'
import { buildNextIndex, deferIndexes } from '../../src/storage/engines/transactions.ts'
import { migrate } from '../../src/storage/migrations/migrate.ts'
import { testEngine } from '../engine.ts'

const listing = {
  sqlite: "select name from sqlite_schema where type = 'index' and sql is not null order by name",
  postgres: 'select indexname as name from pg_indexes where schemaname = current_schema() order by indexname',
}

async function indexNames({ db, dialect }: Engine): Promise<string[]> {
  const { rows } = await db.session.run(listing[dialect], [])
  return rows.map((row) => (row as { name: string }).name)
}

it('a load that is cut off leaves no index behind: the next start builds what it had taken away', async () => {
  const engine = await testEngine()
  const before = await indexNames(engine)
  await engine.transaction(deferIndexes)
  const during = await indexNames(engine)
  expect(during).not.toContain('field_values_match')
  expect(during.length).toBeLessThan(before.length)
  expect(await migrate(engine, new Date())).toEqual([])
  expect(await indexNames(engine)).toEqual(before)
  await engine.close()
})

it('a load that fails builds them itself', async () => {
  const engine = await testEngine()
  const before = await indexNames(engine)
  await expect(engine.loadInBulk(() => Promise.reject(new Error('No more.')))).rejects.toThrow('No more.')
  expect(await indexNames(engine)).toEqual(before)
  await engine.close()
})

it('a load into a workspace with records keeps their indexes', async () => {
  const engine = await testEngine()
  await engine.single.session.run(
    `insert into field_values (workspace, record, field, place, match_key, created_at)
     values (1, 1, 1, 0, 'k', '')`,
    [],
  )
  await engine.loadInBulk(async () => {
    expect(await indexNames(engine)).toContain('field_values_match')
  })
  await engine.close()
})

it('several processes that build them at the same time build each of them once', async () => {
  const engine = await testEngine()
  const before = await indexNames(engine)
  await engine.transaction(deferIndexes)
  const building = Array.from({ length: 4 }, async () => {
    while (await engine.transaction(buildNextIndex));
  })
  await Promise.all(building)
  expect(await indexNames(engine)).toEqual(before)
  await engine.close()
})

it('loads that begin at the same time drop each index once', async () => {
  const engine = await testEngine()
  const before = await indexNames(engine)
  await Promise.all(Array.from({ length: 4 }, () => engine.loadInBulk(async () => {})))
  expect(await indexNames(engine)).toEqual(before)
  await engine.close()
})
