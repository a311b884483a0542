import { registry } from '@kith/contract/registry'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { undoJob } from '../../../src/jobs/change-job.ts'
import type { RunStep } from '../../../src/leases/step.ts'
import { listRecords } from '../../../src/records/list.ts'
import { createRecord, updateRecord } from '../../../src/records/write.ts'
import { sql } from '../../../src/storage/engines/sql.ts'
import { timeIn } from '../../../src/storage/tables/places.ts'
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
  const died = Promise.withResolvers<Parameters<RunStep>>()
  let seen = 0
  const runStep: RunStep = async (...step) => {
    if (step[1].handler === handler && seen++ === steps) {
      died.resolve(step)
      await new Promise<void>((resolve) => onTestFinished(() => resolve()))
      return { status: 503, body: '{}' }
    }
    return world.runStep(...step)
  }
  return { runStep, died: died.promise }
}

/** A lease lasts ten seconds by the clock of the database. */
async function afterLease(): Promise<void> {
  await sql`update jobs set leased_until = '2000' where workspace_id = ${world.scope.workspace.id}
    and leased_until is not null`.run(world.runtime.engine.single)
}

describe('a job whose process died', () => {
  it.each([
    ['before its first rows', 0, 'import-rows'],
    ['between its rows', 1, 'import-rows'],
    ['after its last rows', 0, 'finish'],
  ])('%s goes on in another one: no row is lost, and none is done twice', async (_when, steps, handler) => {
    const names = newNames(ROWS)
    const { runStep, died } = dyingAfter(steps, handler)
    const id = await world.queue(names)
    world.work(runStep)
    const late = await died
    await afterLease()
    world.work()
    const progress = { rows: ROWS, done: ROWS, created: ROWS, updated: 0, unchanged: 0, failed: 0 }
    expect(await world.ended(id)).toMatchObject({ state: 'done', progress })
    expect(await countOf(names)).toBe(ROWS)
    expect((await world.results(id)).map(({ row }) => row)).toEqual(names.map((_, index) => index + 1))
    // The process was only slow: its step comes late and does nothing.
    expect(JSON.parse((await world.runStep(...late)).body ?? '')).toMatchObject({ held: false })
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
    const { runStep, died } = dyingAfter(1, 'undo-rows')
    world.work(runStep)
    await died
    await afterLease()
    world.work()
    const progress = { rows: ROWS, done: ROWS, updated: ROWS, failed: 0 }
    expect(await world.ended(undo.job.id)).toMatchObject({ state: 'done', progress })
    expect(await countOf(names)).toBe(0)
  })

  it('waits for the end of the lease, whatever the clock of the node says, unless there is only one node', async () => {
    const { engine, clock } = world.runtime
    const names = newNames(3)
    const { runStep, died } = dyingAfter(0)
    const id = await world.queue(names)
    world.work(runStep)
    await died
    const { now } = clock
    clock.now = new Date(now.getTime() + 3_600_000)
    const worker = world.work()
    if (engine.concurrentWrites) {
      await worker.stop()
      expect((await world.job(id)).state).toBe('running')
      const free = (ms: number) =>
        sql`select 1 from jobs where workspace_id = ${world.scope.workspace.id}
        and id = ${id} and leased_until < ${timeIn(engine, ms)}`.exists(engine.db)
      expect([await free(0), await free(20_000)]).toEqual([false, true])
      await afterLease()
      clock.now = new Date(now.getTime() - 3_600_000)
      world.work()
    }
    expect(await world.ended(id)).toMatchObject({ state: 'done', progress: { created: 3 } })
  })
})

it('a worker that stops leaves its job to another one at once', async () => {
  const names = newNames(ROWS)
  const id = await world.queue(names)
  const first = Promise.withResolvers<void>()
  const worker = world.work(async (...step) => {
    const answer = await world.runStep(...step)
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

it('an undo keeps what someone else changed between two rows', async () => {
  const { scope } = world
  const asked = { raw: {}, loose: true, issues: [] }
  const owner = { account_owner_id: scope.actor.user_id }
  const idNamed = async (name: string) => {
    const listed = await listRecords(scope, registry.companies, { ...asked, raw: { filter: { name: { $eq: name } } } })
    return listed.data()[0]?.id ?? ''
  }
  for (const name of ['Edited', 'Kept']) {
    await createRecord(scope, registry.companies, { asked, body: { name, external_ids: { crm: name } } })
  }
  const rows = (start: string) => ['Edited', 'New', 'Kept'].map((crm) => `${start} ${crm},${crm}`)
  // The second chunk begins after these.
  const between = newNames(200).map((name) => `${name},${name}`)
  const header = 'name,external_ids.crm'
  const options = { header, mode: 'upsert', match: 'external_ids.crm' }
  const id = await world.queue([...rows('First'), ...between, ...rows('Last')], options)
  let steps = 0
  const worker = world.work(async (...step) => {
    if (step[1].handler === 'import-rows' && steps++ === 1) {
      for (const name of ['First Edited', 'First New']) {
        await updateRecord(scope, registry.companies, { asked, id: await idNamed(name), body: owner })
      }
    }
    return world.runStep(...step)
  })
  expect(await world.ended(id)).toMatchObject({ progress: { created: 201, updated: 5, failed: 0 } })
  await worker.stop()
  const undo = await undoJob(scope, id)
  world.work()
  expect(await world.ended(undo.job.id)).toMatchObject({ progress: { updated: 205, unchanged: 0, failed: 1 } })
  const failed = (await world.results(undo.job.id)).filter(({ outcome }) => outcome === 'failed')
  expect(failed).toMatchObject([{ row: 2, message: expect.stringContaining('was changed again at') }])
  const raw = { filter: { external_ids: { crm: { $has_any: ['Edited', 'New', 'Kept'] } } }, sort: 'name' }
  const left = await listRecords(scope, registry.companies, { ...asked, raw })
  expect(left.data().map(({ attributes }) => [attributes.name, attributes.account_owner_id])).toEqual([
    ['Edited', owner.account_owner_id],
    ['First New', owner.account_owner_id],
    ['Kept', null],
  ])
})

/** Answers like a bug in every step that has one of these rows. */
function breakingAt(rows: readonly number[]): RunStep {
  return async (...step) => {
    const input = JSON.stringify(step[1].input)
    const isBroken = rows.some((row) => new RegExp(`"row":${row},.*"operation"`).test(input))
    return isBroken ? { status: 500, body: '{}', bug: 'Broken' } : world.runStep(...step)
  }
}

describe('a row that fails inside', () => {
  const MESSAGE = 'The row failed with an internal error. The log of the service has the details.'

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
    const message = expect.stringMatching(/^10 rows failed with an internal error\. What was written stays\./)
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
    world.work(async (...step) => {
      const { handler, input } = step[1]
      const { limit, failure } = { limit: 0, failure: null, ...Object(input) }
      if (limit === 1 && failure === null) single++
      const isBroken = handler === 'undo-rows' && failure === null && (limit !== 1 || single === 2 || single === 3)
      return isBroken ? { status: 500, body: '{}', bug: 'Broken' } : world.runStep(...step)
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
  expect(await world.ended(id)).toMatchObject({
    state: 'failed',
    message: expect.stringMatching(/failed with an internal error/),
  })
})
