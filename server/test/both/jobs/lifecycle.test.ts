import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { addMember, changeRole, removeMember } from '../../../src/accounts/members.ts'
import { createToken, revokeToken } from '../../../src/accounts/tokens.ts'
import { enterAsMember } from '../../../src/accounts/workspace.ts'
import { restoreBackup } from '../../../src/backup/restore-backup.ts'
import { writeBackup } from '../../../src/backup/write-backup.ts'
import { cancelJob, rerunJob, undoJob } from '../../../src/jobs/change-job.ts'
import { createImport } from '../../../src/jobs/create-import.ts'
import { listJobs } from '../../../src/jobs/job.ts'
import { expireListed } from '../../../src/runtime/retention.ts'
import { openEngine } from '../../../src/storage/engines/open-engine.ts'
import { sql } from '../../../src/storage/engines/sql.ts'
import { testDatabase } from '../../engine.ts'
import { newFolder } from '../../installation.ts'
import { newUser, refusalOf } from '../../test-runtime.ts'
import { type WorkerWorld, workerWorld, worldAt } from './worker-world.ts'

const HOUR_MS = 3_600_000
const waiting = { type: 'import', resource: 'companies', format: 'csv', mode: 'create' }
const asked = { raw: {}, loose: true, issues: [] }

let world: WorkerWorld

beforeAll(async () => {
  world = await workerWorld()
})
afterAll(() => world.runtime.engine.close())
beforeEach(() => {
  world.failures.length = 0
})

function passHours(hours: number): void {
  const { clock } = world.runtime
  clock.now = new Date(clock.now.getTime() + hours * HOUR_MS)
}

const rowsOf = (table: string) => sql`select count(*) as total from ${sql.table(table)}`.count(world.runtime.engine.db)
const upkeep = () => expireListed(world.runtime.engine, world.runtime.now())

/** Runs an import to its end. */
async function done(names: readonly string[], options: object = {}): Promise<string> {
  const id = await world.queue(names, options)
  const worker = world.work()
  expect((await world.ended(id)).state).toBe('done')
  await worker.stop()
  return id
}

describe('what is kept of jobs, and how long', () => {
  it('a job without a file is deleted after an hour, and takes no place among the five', async () => {
    for (let count = 0; count < 5; count++) await createImport(world.scope, waiting)
    expect((await refusalOf(createImport(world.scope, waiting)))[0]).toMatch(/^rate_limited: /)
    passHours(0.99)
    await upkeep()
    expect(await rowsOf('jobs')).toBe(5)
    passHours(0.01)
    // Before the upkeep deletes them.
    expect((await listJobs(world.scope, asked)).data).toEqual([])
    await createImport(world.scope, waiting)
    await upkeep()
    expect(await rowsOf('jobs')).toBe(1)
  })

  it('the file of a dry run is kept for 24 hours, and what its rows claim until it has ended', async () => {
    const id = await done(['Dry,1'], { dry_run: true, header: 'name,external_ids.crm' })
    expect(await rowsOf('job_claims')).toBe(1)
    await upkeep()
    expect([await rowsOf('job_files'), await rowsOf('job_claims')]).toEqual([1, 0])
    passHours(23.9)
    await upkeep()
    const again = await rerunJob(world.scope, id)
    await cancelJob(world.scope, again.id)
    passHours(0.2)
    expect((await refusalOf(rerunJob(world.scope, id)))[0]).toMatch(/^file: Files are kept for 24 hours\./)
    passHours(24)
    await upkeep()
    expect(await rowsOf('job_files')).toBe(0)
  })

  it('a job, its results and its undo are kept for 30 days', async () => {
    const id = await done(['Kept', 'Kept too'])
    const { undoable_until } = await world.job(id)
    passHours(30 * 24 - 1)
    await upkeep()
    expect(await world.results(id)).toHaveLength(2)
    passHours(1)
    expect(await refusalOf(undoJob(world.scope, id))).toEqual([
      `undoable_until: The job could be undone until ${undoable_until}.`,
    ])
    await upkeep()
    expect([await rowsOf('jobs'), await rowsOf('job_rows'), await rowsOf('job_files')]).toEqual([0, 0, 0])
  })
})

describe('a job runs with the rights that its creator has at that moment', () => {
  async function leaving() {
    const person = await newUser(world.runtime)
    await addMember(world.scope, { email: person.email, role: 'member' })
    const id = await world.queue(['Never'], {}, await enterAsMember(world.runtime, world.slug, person.id))
    return { email: person.email, id }
  }

  it.each([
    ['has left', 'The member who created the job has left the workspace.'],
    ['is a viewer', 'The member who created the job is now a viewer, who may not change records.'],
  ])('and fails if the creator %s', async (what, message) => {
    const { email, id } = await leaving()
    if (what === 'has left') await removeMember(world.scope, { email })
    else await changeRole(world.scope, { email, role: 'viewer' })
    world.work()
    expect(await world.ended(id)).toMatchObject({ state: 'failed', message, progress: { done: 0 } })
  })

  it('and fails if the token that created it was revoked', async () => {
    const { id: token_id } = await createToken(world.scope, { name: 'import', abilities: ['create'], expires: 'never' })
    const byToken = { ...world.scope, actor: { ...world.scope.actor, token_id } }
    const id = await world.queue(['Never'], {}, byToken)
    await revokeToken(world.scope, token_id)
    world.work()
    const message = 'The token or connection that created the job was revoked or has expired.'
    expect(await world.ended(id)).toMatchObject({ state: 'failed', message, progress: { done: 0 } })
  })

  it('and waits while the workspace is paused', async () => {
    const pause = (at: string | null) =>
      sql`update workspaces set paused_at = ${at} where slug = ${world.slug}`.run(world.runtime.engine.single)
    await pause('2026-01-01T00:00:00.000Z')
    const id = await world.queue(['Later'])
    world.work(undefined, true)
    await expect.poll(async () => (await world.job(id)).state).toBe('running')
    expect((await world.job(id)).progress).toMatchObject({ done: 0 })
    await pause(null)
    // The trial is over as well by this clock.
    await sql`update workspaces set complimentary = 1 where slug = ${world.slug}`.run(world.runtime.engine.single)
    expect(await world.ended(id)).toMatchObject({ state: 'done', progress: { created: 1 } })
  })
})

it('a job that is cancelled while it runs stops after the rows in progress, which stay and can be undone', async () => {
  const names = Array.from({ length: 450 }, (_, index) => `Cancelled ${index}`)
  const id = await world.queue(names)
  let chunks = 0
  const worker = world.work(async (...step) => {
    if (step[1].handler === 'import-rows' && chunks++ === 1) {
      await cancelJob(world.scope, id)
    }
    return world.runStep(...step)
  })
  expect(await world.ended(id)).toMatchObject({ state: 'cancelled', progress: { done: 200, created: 200 } })
  await worker.stop()
  expect(await world.results(id)).toHaveLength(200)
  const { job } = await undoJob(world.scope, id)
  world.work()
  expect(await world.ended(job.id)).toMatchObject({ state: 'done', progress: { rows: 200, updated: 200 } })
})

it('a restored backup has the jobs with their results, and what was imported can be undone there', async () => {
  const id = await done(['Backed up', 'Backed up too'])
  const file = join(newFolder(), 'jobs.kith')
  await writeBackup(world.runtime.engine, file, { now: new Date() })
  const database = await testDatabase()
  const engine = openEngine({ url: database.url, connections: 4 }, { writes: true })
  const runtime = { ...world.runtime, engine }
  await restoreBackup(runtime, file, { replace: false })
  const restored = await worldAt(runtime, world.slug)
  expect(await restored.job(id)).toEqual(await world.job(id))
  expect(await restored.results(id)).toEqual(await world.results(id))
  const { job } = await undoJob(restored.scope, id)
  const worker = restored.work()
  expect(await restored.ended(job.id)).toMatchObject({ state: 'done', progress: { rows: 2, updated: 2 } })
  await worker.stop()
  await engine.close()
  await database.drop()
})
