import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Db, Engine } from '../../../src/storage/engines/engine.ts'
import { sql } from '../../../src/storage/engines/sql.ts'
import { posting } from '../../../src/storage/engines/transactions.ts'
import { loadLiveCount } from '../../../src/storage/tables/records.ts'
import { testEngine } from '../../engine.ts'
import { newWorkspace } from '../../workspace.ts'

let engine: Engine
beforeAll(async () => {
  engine = await testEngine()
})
afterAll(() => engine.close())

const put = (workspace: string, live: number | null) =>
  sql`insert into record_counts (workspace_id, resource, slot, live, version) values (${workspace}, ${'notes'}, ${0}, ${live}, ${1})`

const note = (key: string) => sql`insert into index_builds (name, statement) values (${key}, ${'nothing'})`

function found(workspace: string): Promise<unknown[]> {
  return sql`select live from record_counts where workspace_id = ${workspace}`.all(engine.db)
}

it('writes that are not waited for are committed with the transaction', async () => {
  await engine.transaction(async (inside) => {
    await put('both', 7).run(posting(inside))
    await note('both').run(posting(inside))
  })
  expect(await found('both')).toEqual([{ live: 7 }])
})

it('the next statement sees them', async () => {
  const seen = await engine.transaction(async (inside) => {
    await put('next', 3).run(posting(inside))
    return sql`select live from record_counts where workspace_id = ${'next'}`.all(inside)
  })
  expect(seen).toEqual([{ live: 3 }])
})

it.each([
  ['no statement after it', async () => {}],
  ['a statement after it', async (inside: Db) => void (await sql`select 1 as one`.all(inside))],
])('one that fails fails the transaction with its own error: %s', async (_, after) => {
  const failing = engine.transaction(async (inside) => {
    await note(`kept-${_}`).run(posting(inside))
    await put(_, null).run(posting(inside))
    await after(inside)
  })
  await expect(failing).rejects.toThrow(/null/i)
  expect(await found(_)).toEqual([])
  const rows = await sql`select name from index_builds where name = ${`kept-${_}`}`.all(engine.db)
  expect(rows).toEqual([])
})

it('a refused write does not affect the connection', async () => {
  const { api, scope } = await newWorkspace()
  const before = await loadLiveCount(await scope(), 'companies')
  const taken = { name: 'One', custom_fields: { domains: ['one.example'] } }
  expect((await api.post('/companies', taken)).status).toBe(201)
  const answers = await Promise.all(Array.from({ length: 20 }, () => api.post('/companies', taken)))
  expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([422]))
  expect(await loadLiveCount(await scope(), 'companies')).toBe(before + 1)
})
