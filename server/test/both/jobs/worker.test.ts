import { registry } from '@kith/contract/registry'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type { Call } from '../../../src/calls/call.ts'
import { undoJob } from '../../../src/jobs/change-job.ts'
import { listRecords } from '../../../src/records/list.ts'
import { executeCall } from '../../../src/runtime/execute-call.ts'
import { sql } from '../../../src/storage/engines/sql.ts'
import { type WorkerWorld, workerWorld } from './worker-world.ts'

const ROWS = 450
let world: WorkerWorld
let batches = 0

beforeAll(async () => {
  world = await workerWorld()
})
afterAll(() => world.runtime.engine.close())

/** Names that no other test has. */
function newNames(count: number): string[] {
  const batch = ++batches
  return Array.from({ length: count }, (_, index) => `Batch ${batch} row ${index + 1}`)
}

async function countOf(names: readonly string[]): Promise<number> {
  const start = names[0]?.split(' row ')[0] ?? ''
  const raw = { filter: { name: { $contains: `${start} row ` } }, per_page: '1' }
  const listed = await listRecords(world.scope, registry.companies, { raw, loose: true, issues: [] })
  return listed.by === 'page' ? listed.total : -1
}

/** Carries out the first steps of a kind, and never answers those after them: as if the process had died there. */
function dyingAfter(steps: number, handler = 'import-rows') {
  const died = Promise.withResolvers<Call>()
  let seen = 0
  const execute = async (call: Call) => {
    if (call.surface === 'job' && call.request.handler === handler && seen++ === steps) {
      died.resolve(call)
      await new Promise<void>((resolve) => onTestFinished(() => resolve()))
      return { status: 503, body: '{}' }
    }
    return executeCall(world.runtime, call)
  }
  return { execute, died: died.promise }
}

/** A lease lasts ten seconds. */
function afterLease(): void {
  world.runtime.clock.now = new Date(world.runtime.clock.now.getTime() + 11_000)
}

describe('a job whose process died', () => {
  it.each([
    ['before its first rows', 0, 'import-rows'],
    ['between its rows', 1, 'import-rows'],
    ['after its last rows', 0, 'finish'],
  ])('%s goes on in another one: no row is lost, and none is done twice', async (_when, steps, handler) => {
    const names = newNames(ROWS)
    const { execute, died } = dyingAfter(steps, handler)
    const id = await world.queue(names)
    world.work(execute)
    const late = await died
    afterLease()
    world.work()
    const progress = { rows: ROWS, done: ROWS, created: ROWS, updated: 0, unchanged: 0, failed: 0 }
    expect(await world.ended(id)).toMatchObject({ state: 'done', progress })
    expect(await countOf(names)).toBe(ROWS)
    expect((await world.results(id)).map(({ row }) => row)).toEqual(names.map((_, index) => index + 1))
    // The process was only slow: its step comes late and does nothing.
    expect(JSON.parse((await executeCall(world.runtime, late)).body ?? '')).toMatchObject({ held: false })
    expect(await countOf(names)).toBe(ROWS)
  })

  it('between rows of an undo goes on in another one', async () => {
    const names = newNames(ROWS)
    const worker = world.work()
    const id = await world.queue(names)
    worker.soon()
    await world.ended(id)
    await worker.stop()
    const undo = await undoJob(world.scope, id)
    const { execute, died } = dyingAfter(1, 'undo-rows')
    world.work(execute)
    await died
    afterLease()
    world.work()
    const progress = { rows: ROWS, done: ROWS, updated: ROWS, failed: 0 }
    expect(await world.ended(undo.job.id)).toMatchObject({ state: 'done', progress })
    expect(await countOf(names)).toBe(0)
  })

  it('waits for the end of the lease, unless there is only one node', async () => {
    const { engine } = world.runtime
    const names = newNames(3)
    const { execute, died } = dyingAfter(0)
    const id = await world.queue(names)
    world.work(execute)
    await died
    const worker = world.work()
    if (engine.concurrentWrites) {
      await worker.stop()
      expect((await world.job(id)).state).toBe('running')
      afterLease()
      world.work()
    }
    expect(await world.ended(id)).toMatchObject({ state: 'done', progress: { created: 3 } })
  })
})

it('a worker that stops leaves its job to another one at once', async () => {
  const names = newNames(ROWS)
  const id = await world.queue(names)
  const first = Promise.withResolvers<void>()
  const worker = world.work(async (call) => {
    const answer = await executeCall(world.runtime, call)
    first.resolve()
    return answer
  })
  await first.promise
  await worker.stop()
  expect(await world.job(id)).toMatchObject({ state: 'running', progress: { done: 200 } })
  world.work()
  expect(await world.ended(id)).toMatchObject({ state: 'done', progress: { done: ROWS, created: ROWS } })
  expect(await countOf(names)).toBe(ROWS)
})

/** Answers like a bug in every step that has one of these rows. */
function breakingAt(rows: readonly number[]) {
  return async (call: Call) => {
    const input = JSON.stringify(call.surface === 'job' ? call.request.input : null)
    const isBroken = rows.some((row) => new RegExp(`"row":${row},.*"operation"`).test(input))
    return isBroken ? { status: 500, body: '{}', bug: 'Broken' } : executeCall(world.runtime, call)
  }
}

describe('a row that fails inside', () => {
  const MESSAGE = 'The row failed inside. The log of the service has the details.'

  it('fails alone: the other rows of its chunk are written one at a time', async () => {
    const names = newNames(210)
    const id = await world.queue(names)
    world.work(breakingAt([7]))
    expect(await world.ended(id)).toMatchObject({ state: 'done', progress: { done: 210, created: 209, failed: 1 } })
    const failed = (await world.results(id)).filter(({ outcome }) => outcome === 'failed')
    expect(failed).toMatchObject([{ row: 7, message: MESSAGE }])
    expect(world.failures.at(-1)).toContain('Broken')
  })

  it('ends the job if there are ten of them in a chunk: the rows are not the cause', async () => {
    const names = newNames(30)
    const id = await world.queue(names)
    world.work(breakingAt(names.map((_, index) => index + 1).slice(2)))
    const progress = { rows: 30, done: 12, created: 2, failed: 10 }
    const message = expect.stringMatching(/^10 rows failed inside\. What was done stays\./)
    expect(await world.ended(id)).toMatchObject({ state: 'failed', progress, message })
    expect(await countOf(names)).toBe(2)
  })

  it('of an undo fails alone, too', async () => {
    const names = newNames(5)
    const id = await world.queue(names)
    const worker = world.work()
    await world.ended(id)
    await worker.stop()
    const undo = await undoJob(world.scope, id)
    // Rows are undone from the last to the first.
    let single = 0
    world.work(async (call) => {
      const { handler = '', input = {} } = call.surface === 'job' ? call.request : {}
      const { limit, failure } = { limit: 0, failure: null, ...Object(input) }
      if (limit === 1 && failure === null) single++
      const isBroken = handler === 'undo-rows' && failure === null && (limit !== 1 || single === 2 || single === 3)
      return isBroken ? { status: 500, body: '{}', bug: 'Broken' } : executeCall(world.runtime, call)
    })
    expect(await world.ended(undo.job.id)).toMatchObject({
      state: 'done',
      progress: { done: 5, updated: 4, failed: 1 },
    })
    const failed = (await world.results(undo.job.id)).filter(({ outcome }) => outcome === 'failed')
    expect(failed).toMatchObject([{ row: 4, message: MESSAGE }])
    expect(await countOf(names)).toBe(1)
  })
})

it('a file that cannot be read fails the job, with a message', async () => {
  const id = await world.queue(newNames(3))
  const { engine, scope } = { ...world.runtime, scope: world.scope }
  await sql`update job_files set content = 'AAAA' where workspace_id = ${scope.workspace.id}
    and file_id = (select file_id from jobs where workspace_id = ${scope.workspace.id} and id = ${id})`.run(
    engine.single,
  )
  world.work()
  expect(await world.ended(id)).toMatchObject({ state: 'failed', message: expect.stringMatching(/failed inside/) })
})
