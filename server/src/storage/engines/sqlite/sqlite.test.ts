import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Refusal } from '@kith/contract/refusal'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Engine } from '../engine.ts'
import { openSqlite } from './sqlite.ts'

const folder = mkdtempSync(join(tmpdir(), 'kith-sqlite-'))
let engine: Engine

beforeAll(async () => {
  engine = openSqlite(join(folder, 'test.db'), { writes: true })
  await engine.single.session.run('create table things (seq integer primary key, name text unique)', [])
})

afterAll(async () => {
  await engine.close()
  rmSync(folder, { recursive: true })
})

const insert = (name: string) => async (inside: Engine['db']) =>
  inside.session.run('insert into things (name) values (?)', [name])

async function names(): Promise<unknown[]> {
  const { rows } = await engine.db.session.run('select name from things order by name', [])
  return rows.map((row) => (row as { name: string }).name)
}

it('stores rows whose number is beyond those of JavaScript', async () => {
  const { affected } = await engine.single.session.run("insert into things values (90000 << 40, 'far')", [])
  expect(affected).toBe(1)
})

it('commits transactions that wait together, and one that fails takes nothing of the others with it', async () => {
  const outcomes = await Promise.allSettled([
    engine.transaction(insert('a')),
    engine.transaction(async (inside) => {
      await insert('lost')(inside)
      await insert('a')(inside)
    }),
    engine.transaction(insert('b')),
  ])
  expect(outcomes.map((outcome) => outcome.status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(outcomes[1]).toMatchObject({ reason: expect.anything() })
  expect(engine.violation(outcomes[1]?.status === 'rejected' && outcomes[1].reason)).toBe('unique')
  expect(await names()).toEqual(['a', 'b', 'far'])
})

it('runs every job of a group again, alone, if one fails after it has written', async () => {
  const runs: string[] = []
  const counted = (name: string) => (inside: Engine['db']) => {
    runs.push(name)
    return insert(name)(inside)
  }
  const refused = async () => {
    throw new Refusal({ kind: 'busy', message: 'Refused.', retry_after: 1 })
  }
  await Promise.allSettled([engine.transaction(counted('d')), engine.transaction(refused)])
  expect(runs).toEqual(['d'])
  const spoiled = async (inside: Engine['db']) => {
    await counted('lost')(inside)
    await refused()
  }
  await Promise.allSettled([engine.transaction(counted('e')), engine.transaction(spoiled)])
  expect(runs).toEqual(['d', 'e', 'lost', 'e', 'lost'])
  expect(await names()).toEqual(['a', 'b', 'd', 'e', 'far'])
})

it('hides what a transaction has not committed from all others', async () => {
  await engine.transaction(async (inside) => {
    await insert('c')(inside)
    expect(await names()).not.toContain('c')
  })
  expect(await names()).toContain('c')
})
