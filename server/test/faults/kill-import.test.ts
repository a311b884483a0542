import { once } from 'node:events'
import { expect, it } from 'vitest'
import { expireListed } from '../../src/runtime/retention.ts'
import type { Engine } from '../../src/storage/engines/engine.ts'
import { sql } from '../../src/storage/engines/sql.ts'
import { type Api, apiAt } from '../api.ts'
import { ended, newImport, resultsOf, sendFile } from '../both/jobs/jobs.ts'
import { installation } from '../installation.ts'
import { inRun } from '../run-length.ts'
import type { Service } from '../setup/service.ts'
import { newWorkspace, runtimeAt } from '../workspace.ts'

const ROWS = inRun({ short: 1200, long: 40_000 })

function fileOf(name: string, rows: number): string {
  return `name\n${Array.from({ length: rows }, (_, index) => `${name} ${index + 1}`).join('\n')}\n`
}

async function killed({ process }: Service): Promise<void> {
  const gone = once(process, 'exit')
  process.kill('SIGKILL')
  await gone
}

async function untilSome(api: Api, id: string): Promise<void> {
  while ((await api.get(`/jobs/${id}`)).body.data.attributes.progress.done === 0);
}

/** Begins to send a file that does not end. */
function beginToSend({ base, token }: Api, id: string, start: string): Promise<unknown> {
  const body = new ReadableStream({ start: (stream) => stream.enqueue(Buffer.from(start)) })
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'text/csv' }
  // The types of fetch do not have `duplex`, without which it sends no stream.
  const init = { method: 'PUT', body, headers, duplex: 'half' } as RequestInit
  return fetch(`${base}/jobs/${id}/file`, init).catch((error: unknown) => error)
}

function countPieces({ db }: Engine): Promise<number> {
  return sql`select count(*) as total from job_files`.count(db)
}

it('imports in every state survive kill -9: no row is lost and none is done twice', async () => {
  const { database, env, start } = await installation()
  let service = await start({ READER_THREADS: '1' })
  /** The engine of the test is closed while the service dies: a second open file would keep its locks alive. */
  const inRuntime = async <T>(work: (runtime: ReturnType<typeof runtimeAt>) => Promise<T>): Promise<T> => {
    const runtime = runtimeAt(database.url, env.SECRET ?? '')
    return work(runtime).finally(() => runtime.engine.close())
  }
  const { api: first } = await inRuntime((runtime) => newWorkspace({ url: service.url, runtime }))
  const [waiting, sending] = [await newImport(first), await newImport(first)] as const
  const [running, queued] = [await newImport(first), await newImport(first)] as const
  const unsent = beginToSend(first, sending, fileOf('Cut off', 30_000))
  await inRuntime(({ engine }) => expect.poll(() => countPieces(engine)).toBeGreaterThan(0))
  expect((await sendFile(first, running, fileOf('Running', ROWS))).status).toBe(202)
  expect((await sendFile(first, queued, fileOf('Queued', 3))).status).toBe(202)
  await untilSome(first, running)
  await killed(service)
  expect(await unsent).toBeInstanceOf(Error)

  service = await start({ READER_THREADS: '1' })
  const second = apiAt(service.url, first.token)
  for (const id of [waiting, sending]) {
    expect((await second.get(`/jobs/${id}`)).body.data.attributes.state).toBe('waiting')
    expect((await sendFile(second, id, fileOf('Later', 2))).status).toBe(202)
  }
  const rows = { [waiting]: 2, [sending]: 2, [running]: ROWS, [queued]: 3 }
  for (const [id, count] of Object.entries(rows)) {
    const { attributes } = await ended(second, id)
    expect(attributes).toMatchObject({ state: 'done', progress: { rows: count, done: count, created: count } })
  }
  expect((await second.get('/companies?per_page=1')).body.meta.total).toBe(ROWS + 7)
  const results = await resultsOf(second, running)
  expect(results.map(({ row }) => row)).toEqual(Array.from({ length: ROWS }, (_, index) => index + 1))
  const undo = (await second.put(`/jobs/${running}/undo`)).body.data.id
  await untilSome(second, undo)
  await killed(service)

  service = await start({ READER_THREADS: '1' })
  const third = apiAt(service.url, first.token)
  expect((await ended(third, undo)).attributes).toMatchObject({
    state: 'done',
    progress: { done: ROWS, updated: ROWS },
  })
  expect((await third.get('/companies?per_page=1')).body.meta.total).toBe(7)
  // The upkeep deletes what was received of the file that was cut off.
  await inRuntime(async ({ engine }) => {
    const pieces = await countPieces(engine)
    await expireListed(engine, new Date(Date.now() + 2 * 3_600_000))
    expect(pieces - (await countPieces(engine))).toBeGreaterThanOrEqual(1)
  })
})
