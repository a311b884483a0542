import pg from 'pg'
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { type TestDatabase, testDatabase } from '../engine.ts'

// One of our own, which has not given names to the statements of other tests.
vi.resetModules()
const { ask, sendAsked } = await import('../../src/storage/engines/postgres/asking.ts')

let database: TestDatabase
let pool: pg.Pool
let client: pg.PoolClient
/** How often the server said that it was through with what was sent. */
let ends = 0

beforeAll(async () => {
  database = await testDatabase()
  pool = new pg.Pool({ connectionString: database.url, pipeline: true })
  client = await pool.connect()
  // The driver has it, though its types do not tell.
  const { connection } = client as unknown as { connection: NodeJS.EventEmitter }
  connection.on('readyForQuery', () => ends++)
})
beforeEach(() => {
  ends = 0
})
afterAll(async () => {
  client.release()
  await pool.end()
  await database.drop()
})

const NUMBER = 'select $1::int as n'

it('what is asked at the same moment is answered together, once the server knows the statement', async () => {
  const numbers = Array.from({ length: 20 }, (_, index) => index)
  const asked = () => Promise.all(numbers.map((n) => ask(client, NUMBER, [n])))
  expect((await asked()).map(({ rows }) => rows)).toEqual(numbers.map((n) => [{ n }]))
  expect(ends).toBe(2)
  expect((await asked()).map(({ rows }) => rows)).toEqual(numbers.map((n) => [{ n }]))
  expect(ends).toBe(3)
})

it('values come as what they are, the first time and later', async () => {
  const text = `select 'ä' as text, 9007199254740991::bigint as large, 1.5::float8 as half, true as flag,
    null::bigint as none, array['a', 'b'] as list, '{"a": 1}'::jsonb as json, '2026-01-02T03:04:05Z'::timestamptz as at`
  const row = {
    ...{ text: 'ä', large: 9007199254740991, half: 1.5, flag: true, none: null, list: ['a', 'b'], json: { a: 1 } },
    at: new Date('2026-01-02T03:04:05Z'),
  }
  for (let time = 0; time < 2; time++) expect(await ask(client, text, [])).toEqual({ rows: [row], affected: 1 })
})

it('tells how many rows were touched', async () => {
  await ask(client, 'create temporary table touched (n int, text text)', [])
  const insert = 'insert into touched select * from unnest($1::int[], $2::text[])'
  const texts = ['plain', 'with "quotes" and \\', null]
  for (let time = 0; time < 2; time++) {
    expect(await ask(client, insert, [[1, 2, 3], texts])).toEqual({ rows: [], affected: 3 })
  }
  const { rows } = await ask(client, 'select distinct n, text from touched order by n', [])
  expect(rows).toEqual(texts.map((text, index) => ({ n: index + 1, text })))
  expect((await ask(client, 'delete from touched where n > $1', [1])).affected).toBe(4)
})

it('those before one that fails are answered, those behind it fail with it, and the next ones are answered', async () => {
  const divide = 'select 6 / $1::int as n'
  await ask(client, divide, [1])
  const asked = [3, 2, 0, 1, 6].map((n) => ask(client, divide, [n]))
  const endings = await Promise.allSettled(asked)
  const failed = { status: 'rejected', reason: expect.objectContaining({ message: 'division by zero' }) }
  expect(endings).toEqual([
    { status: 'fulfilled', value: { rows: [{ n: 2 }], affected: 1 } },
    { status: 'fulfilled', value: { rows: [{ n: 3 }], affected: 1 } },
    ...[failed, failed, failed],
  ])
  expect((await ask(client, divide, [6])).rows).toEqual([{ n: 1 }])
})

it('a statement that the server does not take fails each time it is asked', async () => {
  const wrong = 'select nothing from nowhere'
  for (let time = 0; time < 2; time++) {
    const endings = await Promise.allSettled([ask(client, wrong, []), ask(client, wrong, []), ask(client, NUMBER, [7])])
    expect(endings.map((ending) => ending.status)).toEqual(['rejected', 'rejected', 'rejected'])
    expect((await ask(client, NUMBER, [7])).rows).toEqual([{ n: 7 }])
  }
})

it('keeps the order when the driver is asked in between', async () => {
  const before = ask(client, 'create temporary table ordered (n int)', [])
  sendAsked(client)
  const between = client.query('insert into ordered values (1)')
  const after = ask(client, 'select n from ordered', [])
  await Promise.all([before, between])
  expect((await after).rows).toEqual([{ n: 1 }])
})

it('whoever waits when the connection is lost is told', async () => {
  const own = await pool.connect()
  own.on('error', () => {})
  const sleep = 'select pg_sleep($1::float8)'
  await ask(own, sleep, [0])
  const ended = Promise.allSettled([10, 0, 0].map((seconds) => ask(own, sleep, [seconds])))
  const { rows } = await ask(
    client,
    `select pid from pg_stat_activity where query like 'select pg_sleep%' and datname = current_database()`,
    [],
  )
  for (const { pid } of rows as { pid: number }[]) await ask(client, 'select pg_terminate_backend($1)', [pid])
  for (const ending of await ended) expect(ending.status).toBe('rejected')
  await expect(ask(own, sleep, [0])).rejects.toThrow()
  own.release(true)
})

it('more statements than are given names are answered, too', async () => {
  const many = Array.from({ length: 1100 }, (_, index) => index)
  const answers = await Promise.all(many.map((n) => ask(client, `select ${n} as n`, [])))
  expect(answers.map(({ rows }) => rows)).toEqual(many.map((n) => [{ n }]))
})
