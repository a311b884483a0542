import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Engine } from '../../src/storage/engines/engine.ts'
import { openEngine } from '../../src/storage/engines/open-engine.ts'
import { short } from '../../src/storage/engines/short.ts'
import { testEngine } from '../engine.ts'

let engine: Engine
beforeAll(async () => {
  engine = await testEngine()
})
afterAll(() => engine.close())

async function ask(text: string, parameters: readonly unknown[] = []): Promise<Record<string, unknown> | undefined> {
  const { rows } = await short(engine.db).session.run(text, parameters)
  // Each statement here selects one row.
  return (rows as Record<string, unknown>[])[0]
}

const numbers = Array.from({ length: 100 }, (_, index) => index)

it('each is answered what it asked, over two connections at most', async () => {
  const answers = await Promise.all(numbers.map((n) => ask('select $1::int as n, pg_backend_pid() as connection', [n])))
  expect(answers.map((answer) => answer?.n)).toEqual(numbers)
  expect(new Set(answers.map((answer) => answer?.connection)).size).toBeLessThanOrEqual(2)
})

it('one that fails takes no other with it', async () => {
  const endings = await Promise.allSettled(
    numbers.map((n) => (n % 7 === 0 ? ask('select 1 / $1::int as n', [0]) : ask('select $1::int as n', [n]))),
  )
  for (const [n, ending] of endings.entries()) {
    if (n % 7 === 0) expect(ending).toMatchObject({ status: 'rejected', reason: { message: 'division by zero' } })
    else expect(ending).toEqual({ status: 'fulfilled', value: { n } })
  }
})

it('a slow one does not hold up those that come after it', async () => {
  let slow = true
  const waiting = ask('select pg_sleep(2)').then(() => {
    slow = false
  })
  await new Promise((turn) => setTimeout(turn, 100))
  expect(await ask('select 1 as n')).toEqual({ n: 1 })
  expect(slow).toBe(true)
  await waiting
})

it('after a lost connection the next ones are answered', async () => {
  const lost = await Promise.allSettled([
    ask('select pg_terminate_backend(pg_backend_pid())'),
    ...numbers.slice(0, 5).map((n) => ask('select $1::int as n', [n])),
  ])
  expect(lost[0]?.status).toBe('rejected')
  expect(await Promise.all(numbers.map((n) => ask('select $1::int as n', [n])))).toEqual(numbers.map((n) => ({ n })))
})

it('where there is no server, all who wait are told', async () => {
  const nowhere = openEngine({ url: 'postgres://nobody@127.0.0.1:1/none', connections: 2 }, { writes: false })
  const asked = numbers.map(() => short(nowhere.db).session.run('select 1', []))
  for (const ending of await Promise.allSettled(asked)) {
    expect(ending).toMatchObject({ status: 'rejected', reason: { code: 'ECONNREFUSED' } })
  }
  await nowhere.close()
})
