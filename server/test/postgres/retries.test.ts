import { describe, expect, it } from 'vitest'
import { sql } from '../../src/storage/engines/sql.ts'
import { Conflict } from '../../src/storage/engines/transactions.ts'
import { ownService } from '../own-service.ts'

const own = await ownService()
const { engine } = own.runtime

/** Lets writes of companies of this name fail a number of times. What a sequence has counted is not rolled back. */
async function failing(name: string, times: number, errcode: string): Promise<void> {
  const run = (text: string) => engine.single.session.run(text, [])
  await run(`create sequence ${name}_failures`)
  await run(`create function ${name}_fails() returns trigger language plpgsql as $$ begin
    if nextval('${name}_failures') <= ${times} then raise exception 'On purpose.' using errcode = '${errcode}'; end if;
    return new; end $$`)
  await run(`create trigger ${name} before insert on records for each row
    when (new.name = '${name}') execute function ${name}_fails()`)
}

const row = (id: number) => `insert into pairs (id, n) values (${id}, 0) on conflict do nothing`
const lock = (id: number) => `update pairs set n = n + 1 where id = ${id}`

describe('a transaction that meets others', () => {
  it('in a deadlock is run again, until all of them are done', async () => {
    const { session } = engine.single
    await session.run('create table pairs (id integer primary key, n integer not null)', [])
    await session.run(row(1), [])
    await session.run(row(2), [])
    let attempts = 0
    const both = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const writer = (index: 0 | 1) =>
      engine.transaction(async (inside) => {
        attempts++
        await inside.session.run(lock(index + 1), [])
        both[index]?.resolve()
        await Promise.all(both.map((one) => one.promise))
        await inside.session.run(lock(2 - index), [])
      })
    await Promise.all([writer(0), writer(1)])
    // The one that is run again may meet the other once more.
    expect(attempts).toBeGreaterThanOrEqual(3)
    const { rows } = await session.run('select id, n from pairs order by id', [])
    expect(rows).toEqual([
      { id: 1, n: 2 },
      { id: 2, n: 2 },
    ])
  })

  it('is run again if a statement behind the failed one reports its error first', async () => {
    let attempts = 0
    await engine.transaction(async (inside) => {
      if (++attempts > 1) return
      const serialization = "do $$ begin raise exception 'On purpose.' using errcode = '40001'; end $$"
      const failed = sql.raw(serialization).run(inside)
      const behind = sql`select 1`.run(inside)
      failed.catch(() => {})
      await behind
    })
    expect(attempts).toBe(2)
  })

  it('is not run again for ever', async () => {
    let attempts = 0
    const hopeless = engine.transaction(async () => {
      attempts++
      throw new Conflict()
    })
    await expect(hopeless).rejects.toSatisfy((error) => engine.violation(error) === 'busy')
    expect(attempts).toBe(8)
  })

  it('is not run again for any other reason', async () => {
    let attempts = 0
    const failed = engine.transaction(async (inside) => {
      attempts++
      await inside.session.run('select 1 / 0', [])
    })
    await expect(failed).rejects.toThrow('division by zero')
    expect(attempts).toBe(1)
  })
})

describe('a client', () => {
  it.each([
    ['deadlocks', '40P01'],
    ['serialization', '40001'],
  ])('is not told of %s that pass', async (name, errcode) => {
    const { api } = await own.workspace()
    await failing(name, 3, errcode)
    const answer = await api.post('/companies', { name })
    expect(answer.status, answer.text).toBe(201)
    const others = await Promise.all(Array.from({ length: 5 }, () => api.post('/companies', { name })))
    expect(others.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201])
    expect((await api.get('/companies')).body.meta.total).toBe(6)
  })

  it('is asked to come back when they do not', async () => {
    const { api } = await own.workspace()
    await failing('hopeless', 1_000_000, '40P01')
    const answer = await api.post('/companies', { name: 'hopeless' })
    expect(answer.status, answer.text).toBe(503)
    expect(answer.headers.get('Retry-After')).toBe('1')
    expect((await api.get('/companies')).body.meta.total).toBe(0)
  })
})
