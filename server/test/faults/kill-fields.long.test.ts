import { once } from 'node:events'
import { expect, it } from 'vitest'
import { type Api, apiAt } from '../api.ts'
import { installation } from '../installation.ts'
import type { Service } from '../setup/service.ts'
import { newWorkspace, runtimeAt } from '../workspace.ts'

const PEOPLE = 4000

async function killed({ process }: Service): Promise<void> {
  const gone = once(process, 'exit')
  process.kill('SIGKILL')
  await gone
}

const cleared = 'filter[custom_fields][level][$is_empty]=true'
const found = 'filter[$search]=astra'

async function count(api: Api, filter: string): Promise<number> {
  return (await api.get(`/people?per_page=1&${filter}`)).body.meta.total
}

it('a field that is changed when the service is killed is settled by the next one', async () => {
  const { database, env, start } = await installation()
  let service = await start({ READER_THREADS: '1' })
  // The engine of the test is closed while the service dies: a second open file would keep its locks alive.
  const runtime = runtimeAt(database.url, env.SECRET ?? '')
  const workspace = await newWorkspace({ url: service.url, runtime })
  await workspace.field('people', { name: 'Motto', type: 'text' })
  const { options } = await workspace.field('people', { name: 'Level', type: 'select', options: ['A', 'B'] })
  await runtime.engine.close()
  let { api } = workspace
  const custom_fields = { motto: 'Ad astra', level: 'A' }
  const data = { name: 'Ada', custom_fields }
  const operations = Array.from({ length: 500 }, () => ({ op: 'create', resource: 'people', data }))
  for (let made = 0; made < PEOPLE; made += operations.length) await api.post('/batch', { operations })
  const { next_cursor } = (await api.get('/people/changes?cursor=now')).body.meta

  /** Sends a request and kills the service when a part of its work is done. */
  const cutOff = async (send: () => Promise<unknown>, isBegun: () => Promise<boolean>) => {
    const unanswered = send().catch((error: unknown) => error)
    while (!(await isBegun()));
    await killed(service)
    expect(await unanswered).toBeInstanceOf(Error)
    service = await start({ READER_THREADS: '1' })
    api = apiAt(service.url, api.token)
  }

  const remove = () =>
    api.delete(`/schema/people/fields/level/options/${options[0]?.id}`, { headers: { 'Idempotency-Key': 'remove A' } })
  await cutOff(remove, async () => (await count(api, cleared)) > 0)
  const repeated = await remove()
  expect([repeated.status, repeated.headers.get('x-records-changed')]).toEqual([204, String(PEOPLE)])
  expect(await count(api, cleared)).toBe(PEOPLE)
  const entries: string[] = []
  for (let [cursor, more] = [next_cursor, true]; more; ) {
    const { body } = await api.get(`/people/changes?limit=1000&payload=thin&cursor=${encodeURIComponent(cursor)}`)
    entries.push(...body.data.map((entry: { attributes: { record_id: string } }) => entry.attributes.record_id))
    ;[cursor, more] = [body.meta.next_cursor, body.meta.has_more]
  }
  expect([entries.length, new Set(entries).size]).toEqual([PEOPLE, PEOPLE])

  const archive = () => api.delete('/schema/people/fields/motto')
  await cutOff(archive, async () => (await count(api, found)) < PEOPLE)
  await expect.poll(() => count(api, found), { timeout: 60_000 }).toBe(0)
  await service.stop()
})
