import { createHash } from 'node:crypto'
import pg from 'pg'
import { expect, it } from 'vitest'
import { sql } from '../../src/storage/engines/sql.ts'
import { ownService } from '../own-service.ts'

it('upserts of one value that wait for each other leave the connections to other workspaces', async () => {
  const own = await ownService({ DATABASE_CONNECTIONS: '3', RATE_LIMIT_WORKSPACE: '0', RATE_LIMIT_WRITES: '0' })
  const [busy, other] = [await own.workspace(), await own.workspace()]
  const field = await sql<{ id: string }>`
    select id from custom_fields where workspace_id = ${busy.id} and code = 'domains'`.one(own.runtime.engine.db)
  // Another client, on any node, holds the value.
  const holder = new pg.Client({ connectionString: own.env.DATABASE_URL })
  await holder.connect()
  const number = createHash('sha256').update(`${busy.id} ${field?.id} acme.com`).digest().readBigInt64BE(0)
  await holder.query('begin')
  await holder.query('select pg_advisory_xact_lock($1)', [number.toString()])
  const upserts = Array.from({ length: 40 }, (_, index) =>
    busy.api.post('/companies/upsert', { name: `Name ${index}`, match: { field: 'domains', value: 'acme.com' } }),
  )
  const ours = '(select oid from pg_database where datname = current_database())'
  const waiting = async () =>
    (await holder.query(`select 1 from pg_locks where locktype = 'advisory' and not granted and database = ${ours}`))
      .rows.length
  while ((await waiting()) === 0) await new Promise((resolve) => setTimeout(resolve, 10))
  for (let index = 0; index < 10; index++)
    expect((await other.api.post('/companies', { name: `Other ${index}` })).status).toBe(201)
  expect(await waiting()).toBe(1)
  await holder.query('commit')
  await holder.end()
  const answers = await Promise.all(upserts)
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(39)
  await own.stop()
})
