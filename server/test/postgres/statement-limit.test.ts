import { expect, it } from 'vitest'
import { newTimeLimit, OutOfTime, withTimeLimit } from '../../src/storage/engines/time-limit.ts'
import { sharedRuntime } from '../workspace.ts'

const second = () => newTimeLimit(1)

const { engine } = sharedRuntime()
const run = async (text: string) => engine.db.session.run(text, [])

/** With a second for it, again and again: a busy machine may take longer. */
async function inSecond<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await withTimeLimit(second(), work)
    } catch (error) {
      if (!(error instanceof OutOfTime)) throw error
    }
  }
}

/** Longer than the limit that a read may have left on a connection, on several connections at once. */
async function expectNoLimit(): Promise<void> {
  const all = await Promise.all(Array.from({ length: 4 }, () => run('select 1 as slept from pg_sleep(1.2)')))
  expect(all.map(({ rows }) => rows)).toEqual(Array(4).fill([{ slept: 1 }]))
}

it('the server stops a statement when the time of its request is over, and no statement of others', async () => {
  await expect(withTimeLimit(second(), () => run('select pg_sleep(600)'))).rejects.toThrow(OutOfTime)
  const { rows } = await inSecond(() => run("select current_setting('statement_timeout') as within"))
  expect(rows).toEqual([{ within: expect.stringMatching(/^(1s|\d{1,3}ms)$/) }])
  await expectNoLimit()
  const asleep = await run(
    "select 1 from pg_stat_activity where state = 'active' and query like 'select pg_sleep(600)%'",
  )
  expect(asleep.rows).toEqual([])
})

it('all statements of a request share its time, also in a transaction', async () => {
  const two = engine.transaction(async (inside) => {
    await withTimeLimit(second(), async () => {
      await inside.session.run('select pg_sleep(0.7)', [])
      const { rows } = await inside.session.run("select current_setting('statement_timeout') as within", [])
      expect(rows).toEqual([{ within: expect.stringMatching(/^[123]?\d{1,2}ms$/) }])
      await inside.session.run('select pg_sleep(601)', [])
    })
  })
  await expect(two).rejects.toThrow(OutOfTime)
  await expectNoLimit()
})

it('so does a statement for which there is no name left', async () => {
  for (let index = 0; index < 1001; index += 50) {
    await Promise.all(Array.from({ length: 50 }, (_, more) => run(`select ${index + more} as number`)))
  }
  await expect(withTimeLimit(second(), () => run('select pg_sleep(602)'))).rejects.toThrow(OutOfTime)
  const both = inSecond(() => Promise.all([run("select 'one' as it"), run("select 'two' as that, 2 as n")]))
  expect((await both).map(({ rows }) => rows)).toEqual([[{ it: 'one' }], [{ that: 'two', n: 2 }]])
  await expectNoLimit()
})
