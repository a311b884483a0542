import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { loadSample } from '../../src/sample/load.ts'
import type { Answered } from '../api.ts'
import { signedInMember } from '../browser.ts'
import { type OwnProcess, ownProcess } from '../own-service.ts'
import { isLong } from '../run-length.ts'
import { connectTo } from '../tool-client.ts'
import type { TestWorkspace } from '../workspace.ts'

let own: OwnProcess
let workspace: TestWorkspace

beforeAll(async () => {
  own = await ownProcess({ QUERY_SECONDS: '1' })
  workspace = await own.workspace()
  await workspace.field('people', { name: 'Grade', type: 'number' })
  // All of them are of one company, so that a condition on the colleagues of each looks at all of them for each.
  await loadSample(await workspace.scope(), {
    sizes: { companies: 1, people: 3000, opportunities: 0, tasks: 0, notes: 0 },
    seed: 1,
  })
})

/** Looks at nine million pairs of people, ten times: a minute and more. */
const slowWords = Array.from({ length: 10 }, (_, n) => `qz${n}x`)
const slowFilter = { $not: { $or: slowWords.map((word) => ({ company: { people: { name: { $contains: word } } } })) } }
const PART = 'filter.$not.$or.company.people.name.$contains'

function expectStopped({ status, headers, body }: Answered, expensive: readonly string[]): void {
  expect(status).toBe(503)
  expect(headers.has('retry-after')).toBe(false)
  expect(body).toEqual({ message: expect.any(String), expensive })
  expect(body.message).toContain('took longer than 1 s and was stopped')
  expect(body.message).toContain(`${PART} (10 conditions)`)
  expect(body.message).toContain('What to change: use fewer $contains conditions under $not')
}

describe('a query over the time limit gets a 503 that names what is expensive and what to change', () => {
  it('query, with and without a total', async () => {
    const paged = await workspace.api.post('/people/query', { filter: slowFilter })
    expectStopped(paged, [PART, 'total'])
    expect(paged.body.message).toContain('page with cursor=true, which needs no total')
    const scanned = await workspace.api.post('/people/query', { filter: { $not: slowFilter }, cursor: true })
    expect(scanned.status).toBe(503)
    expect(scanned.body.expensive).toEqual([PART.replace('$not', '$not.$not')])
    expect(scanned.body.message).not.toContain('total')
  })

  it.runIf(isLong)('list, with a sort by custom fields', async () => {
    const words = slowWords.map((word, n) => `filter[$not][$or][${n}][company][people][name][$contains]=${word}`)
    const answer = await workspace.api.get(`/people?${words.join('&')}&sort=custom_fields.grade,name`)
    expectStopped(answer, [PART, 'total', 'sort=custom_fields.grade'])
    expect(answer.body.message).toContain('sort by one custom field only, or by created_at')
  })

  it.runIf(isLong)('the REST interface of the application, and its summaries', async () => {
    const { browser } = await signedInMember(workspace, 'viewer', own.url)
    expectStopped(await browser.post(`/w/${workspace.slug}/v1/people/query`, { filter: slowFilter }), [PART, 'total'])
    expectStopped(await browser.post(`/w/${workspace.slug}/v1/people/summary`, { filter: slowFilter }), [PART])
  })

  it.runIf(isLong)('tools report the same', async () => {
    const tools = await connectTo(workspace)
    expect(await tools.refused('list_records', { resource: 'people', filter: slowFilter })).toContain(PART)
    const summary = { resource: 'people', measure: 'count', filter: slowFilter }
    expect(await tools.refused('summarize', summary)).toContain(PART)
  })
})

it('and its work has ended: nothing runs any more, and the next query is answered', async () => {
  const slow = () => workspace.api.post('/people/query', { filter: slowFilter })
  for (const { status } of await Promise.all([slow(), slow(), slow()])) expect(status).toBe(503)
  expect((await workspace.api.get('/people?per_page=100&sort=name')).status).toBe(200)
  if (own.env.DATABASE_URL?.startsWith('postgres')) await expect.poll(runningInPostgres).toEqual([])
  else await expect.poll(runsInProcess).toBe(false)
})

async function runningInPostgres(): Promise<unknown[]> {
  const { rows } = await own.runtime.engine.db.session.run(
    `select query from pg_stat_activity
     where datname = current_database() and state = 'active' and pid <> pg_backend_pid()
       and backend_type = 'client backend'`,
    [],
  )
  return rows
}

/** Whether some thread of the service is at work most of the time. One that was not stopped would be. */
async function runsInProcess(): Promise<boolean> {
  const before = ticks()
  await new Promise((resolve) => setTimeout(resolve, 1000))
  // A busy thread gets most of 100 ticks, also on a busy machine many of them.
  return ticks() - before > 25
}

function ticks(): number {
  const [, line = ''] = readFileSync(`/proc/${own.service.process.pid}/stat`, 'utf8').split(') ')
  const [user, system] = line.split(' ').slice(11, 13)
  return Number(user) + Number(system)
}

it('a write has no such limit', async () => {
  const { id } = (await workspace.api.get('/people?per_page=1')).body.data[0]
  expect((await workspace.api.patch(`/people/${id}`, { name: 'Written' })).status).toBe(200)
})
