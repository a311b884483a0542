import type { ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { chanceFrom } from '../../src/sample/chance.ts'
import { sql } from '../../src/storage/engines/sql.ts'
import { type Api, apiAt } from '../api.ts'
import { bucketServer, KEYS } from '../bucket-server.ts'
import { type Installation, installation, newFolder } from '../installation.ts'
import { runKith, spawnKith } from '../run-kith.ts'
import { inRun, isLong } from '../run-length.ts'
import { freePort } from '../setup/postgres.ts'
import type { Service } from '../setup/service.ts'
import { storedRecords } from '../stored-rows.ts'
import { whenFileEnds } from '../when-file-ends.ts'
import { newWorkspace, runtimeAt } from '../workspace.ts'
import { chainsIn, companiesIn, filesIn, restoredTo, untilCopied, untilShipped } from './continuous-place.ts'

const ROUNDS = inRun({ short: 2, long: 40 })
const WRITERS = 8
const EVERY_MS = 1000
/** What the machine of a test may add to the interval. */
const SLOW_MS = 4000

/** A name that was sent, and the times at which it was sent and acknowledged. */
type Sent = { name: string; sent: number; answered: number }

/** The records that a writer made, and the names that it gave to one of them, in their order. */
type Writer = { made: Sent[]; names: Sent[] }

/** Writes as fast as it can, also while the service is away. */
async function writeOn(api: Api, { made, names }: Writer, going: () => boolean): Promise<void> {
  const writer = randomBytes(4).toString('hex')
  let id: string | undefined
  for (let step = 0; going(); step++) {
    const isNew = id === undefined || step % 2 === 0
    const one: Sent = { name: `${writer} ${step}`, sent: Date.now(), answered: Number.POSITIVE_INFINITY }
    ;(isNew ? made : names).push(one)
    try {
      const answer = await (isNew
        ? api.post('/companies', { name: one.name })
        : api.put(`/companies/${id}`, { name: one.name }))
      if (answer.status < 300) one.answered = Date.now()
      if (id !== undefined || answer.status !== 201) continue
      id = answer.body.data.id
      names.push(...made.splice(-1))
    } catch {
      await pause(10)
    }
  }
}

async function killed({ process }: { process: ChildProcess }): Promise<void> {
  if (process.exitCode !== null || process.signalCode !== null) return
  const gone = once(process, 'exit')
  process.kill('SIGKILL')
  await gone
}

function startShipper({ env }: Installation, place: string, settings: Readonly<Record<string, string>> = {}) {
  let process: ChildProcess | undefined
  const ended = spawnKith(['backup', place, '--continuous'], { ...env, ...settings }, (child) => {
    process = child
  })
  if (!process) throw new Error('The command was not started.')
  const shipper = { process, ended }
  whenFileEnds(() => killed(shipper))
  return shipper
}

it(`restores any moment, although the service and the backup are killed ${ROUNDS} times while it writes`, {
  timeout: isLong ? 1_800_000 : 300_000,
}, async () => {
  const seed = process.env.FAULT_SEED ?? (isLong ? randomBytes(4).toString('hex') : 'kith')
  const chance = chanceFrom(seed)
  const place = newFolder()
  const own = await installation('sqlite')
  const settings = { PORT: String(await freePort()), READER_THREADS: '1' }
  let service: Service = await own.start(settings)
  const runtime = runtimeAt(own.env.DATABASE_URL ?? '', own.env.SECRET ?? '')
  const workspace = await newWorkspace({ url: service.url, runtime })
  await runtime.engine.close()
  let shipper = startShipper(own, place)
  await untilCopied(place)
  let going = true
  const api = apiAt(service.url, workspace.api.token)
  const writers = Array.from({ length: WRITERS }, (): Writer => ({ made: [], names: [] }))
  const writing = writers.map((writer) => writeOn(api, writer, () => going))
  const began = Date.now()
  for (let round = 0; round < ROUNDS; round++) {
    await pause(500 + chance.below(3000))
    const what = chance.below(3)
    await Promise.all([what !== 1 && killed(service), what !== 0 && killed(shipper)])
    await pause(chance.below(2) * chance.below(2500))
    if (what !== 1) service = await own.start(settings)
    if (what !== 0) shipper = startShipper(own, place)
  }
  await untilCopied(place)
  // A process that was just started may not have read the log yet.
  await untilShipped(Date.now(), () => filesIn(place, /\.pages$/))
  await pause(2000)
  const killedAt = Date.now()
  await Promise.all([killed(service), killed(shipper)])
  going = false
  await Promise.all(writing)

  const verified = await runKith(['backup', place, '--verify', '--json'], {})
  expect(verified, verified.stderr).toMatchObject({ code: 0 })
  const { moments } = JSON.parse(verified.stdout)
  const ranges: { from: number; to: number }[] = moments.map(({ from, to }: Record<string, string>) => ({
    from: Date.parse(from ?? ''),
    to: Date.parse(to ?? ''),
  }))
  const isRestorable = (at: number) => ranges.some(({ from, to }) => from <= at && at <= to)
  const random = Array.from({ length: inRun({ short: 4, long: 30 }) }, () => began + chance.below(killedAt - began))
  let restored = 0
  for (const at of [undefined, ...ranges.flatMap(({ from, to }) => [from, to]), ...random]) {
    const args = at === undefined ? [] : ['--at', new Date(at).toISOString()]
    const { code, stderr, json, env } = await restoredTo(place, ...args)
    if (at !== undefined && !isRestorable(at)) {
      expect([code, stderr]).toEqual([1, expect.stringContaining('cannot be restored')])
      continue
    }
    expect(code, stderr).toBe(0)
    restored++
    const as_of = Date.parse(json.at)
    // Nobody reads the log while the backup is killed and starts again.
    expect((at ?? killedAt) - as_of).toBeLessThan(at === undefined ? EVERY_MS + SLOW_MS : 10_000)
    await expectMoment(env, workspace.id, { writers, from: as_of, to: at ?? killedAt })
  }
  expect(restored).toBeGreaterThan(random.length / 2)
  const answered = writers.flatMap(({ made }) => made).filter((one) => one.answered < killedAt).length
  expect(answered).toBeGreaterThan(ROUNDS * 20)
  console.log(
    `${ROUNDS} kills (${seed}): ${answered} records, ${chainsIn(place).length} chains, ${restored} moments restored`,
  )
})

/** All that was acknowledged before `from` is there, and nothing that was sent after `to`. */
async function expectMoment(
  env: Readonly<Record<string, string>>,
  workspaceId: string,
  { writers, from, to }: { writers: readonly Writer[]; from: number; to: number },
): Promise<void> {
  const { engine } = runtimeAt(env.DATABASE_URL ?? '', env.SECRET ?? '')
  try {
    const { db } = engine
    const there = new Set(
      await sql<string>`select name from ${storedRecords('companies')} where workspace_id = ${workspaceId}`.column(db),
    )
    const lost = writers.flatMap(({ made }) => made.filter(({ name, answered }) => answered < from && !there.has(name)))
    const early = writers.flatMap(({ made }) => made.filter(({ name, sent }) => sent > to && there.has(name)))
    expect({ lost, early }).toEqual({ lost: [], early: [] })
    for (const { names } of writers) {
      const now = names.findIndex(({ name }) => there.has(name))
      expect(now).toBeGreaterThanOrEqual(names.findLastIndex(({ answered }) => answered < from))
      expect(names[now]?.sent ?? 0).toBeLessThanOrEqual(to)
    }
    expect(await sql<string>`pragma integrity_check`.column(db)).toEqual(['ok'])
  } finally {
    await engine.close()
  }
}

/** A place with a copy and some segments, and what restores each moment: the name of the only company then. */
async function smallPlace(place: string, settings: Readonly<Record<string, string>> = {}) {
  const own = await installation('sqlite')
  const service = await own.serve()
  const runtime = runtimeAt(own.env.DATABASE_URL ?? '', own.env.SECRET ?? '')
  const { api, id } = await newWorkspace({ url: service.url, runtime })
  await runtime.engine.close()
  const { body } = await api.post('/companies', { name: 'Before' })
  const shipper = startShipper(own, place, settings)
  const moments: { at: number; name: string }[] = []
  const write = async (name: string) =>
    void expect((await api.put(`/companies/${body.data.id}`, { name })).status).toBe(200)
  /** Waits until a segment has the new name. `keys` are the objects of the place. */
  const rename = async (name: string, keys: () => string[]) => {
    await write(name)
    const answered = Date.now()
    await untilShipped(answered, keys)
    moments.push({ at: Date.now(), name })
  }
  const nameIn = (restored: Parameters<typeof companiesIn>[0]) => companiesIn(restored, id)
  return { own, shipper, moments, write, rename, nameIn }
}

it('names what is missing or damaged and the last moment before it, and never leaves it out', {
  timeout: 120_000,
}, async () => {
  const place = newFolder()
  const { own, shipper, moments, rename, nameIn } = await smallPlace(place)
  await untilCopied(place)
  for (const name of ['One', 'Two', 'Three']) await rename(name, () => filesIn(place, /\.pages$/))
  const alone = await own.kith('backup', place, '--continuous')
  expect([alone.code, alone.stderr]).toEqual([1, expect.stringContaining('Another process makes a continuous backup')])
  shipper.process.kill('SIGTERM')
  expect((await shipper.ended).code).toBe(0)
  for (const { at, name } of moments) {
    const restored = await restoredTo(place, '--at', new Date(at).toISOString())
    expect(await nameIn(restored)).toEqual([name])
  }
  const existing = await restoredTo(place)
  expect((await runKith(['restore', place], existing.env)).stderr).toContain(
    'exists. Stop the service and move it away',
  )

  const doctor = async () => {
    const { stdout } = await own.kith('doctor', '--json', '--backups', place)
    return JSON.parse(stdout).find(({ check }: { check: string }) => check === 'backups')
  }
  expect(await doctor()).toMatchObject({ state: 'ok', text: expect.stringContaining('Moments that can be restored') })

  const segments = filesIn(place, /\.pages$/)
  const second = segments[segments.length - 2] ?? ''
  const content = readFileSync(second)
  const spoilt = Buffer.from(content)
  spoilt[spoilt.length - 20] = (spoilt[spoilt.length - 20] ?? 0) ^ 1
  for (const damage of [() => writeFileSync(second, spoilt), () => rmSync(second)]) {
    damage()
    const refused = await restoredTo(place)
    expect(refused.code).toBe(1)
    const [, last = ''] = /The last moment before it is \S+: --at (\S+)\.\s/.exec(`${refused.stderr} `) ?? []
    const restored = await restoredTo(place, '--at', last)
    expect(await nameIn(restored), refused.stderr).toEqual(['One'])
    expect(await doctor()).toMatchObject({ state: 'problem', text: expect.stringMatching(/Damaged|is missing/) })
    const verified = await runKith(['backup', place, '--verify'], {})
    expect([verified.code, verified.stdout]).toEqual([
      1,
      expect.stringMatching(/Damaged or missing: \S+\.pages\.|Segment \d+ of \w+ is missing\./),
    ])
  }
  writeFileSync(second, content)

  const [part = ''] = filesIn(place, /\.part$/)
  writeFileSync(part, 'nothing')
  expect((await restoredTo(place)).stderr).toMatch(/\.part is damaged or missing\. No other copy leads to/)
})

it('writes to a bucket too, and goes on where it was when it starts again', { timeout: 120_000 }, async () => {
  const bucket = await bucketServer()
  const { own, shipper, moments, write, rename, nameIn } = await smallPlace(bucket.url, KEYS)
  const keys = () => readdirSync(bucket.folder, { recursive: true }).map(String)
  while (!keys().some((name) => /copy-\d+-\w+\.json/.test(name))) await pause(50)
  await rename('One', keys)
  await killed(shipper)
  // For this long nobody reads the log.
  await pause(6000)
  await write('Two')
  const missed_at = new Date()
  await pause(6000)
  const again = startShipper(own, bucket.url, KEYS)
  await rename('Three', keys)
  again.process.kill('SIGTERM')
  expect((await again.ended).stderr).not.toContain('A new copy begins')
  const [, three] = moments
  const file = join(newFolder(), 'kith.db')
  const env = { DATABASE_URL: `file:${file}`, SECRET: 'x'.repeat(40), ...KEYS }
  const missed = await runKith(['restore', bucket.url, '--at', missed_at.toISOString()], env)
  expect([missed.code, missed.stderr]).toEqual([
    1,
    expect.stringContaining('cannot be restored. The last moment before'),
  ])
  const restored = await runKith(['restore', bucket.url, '--at', new Date(three?.at ?? 0).toISOString()], env)
  expect(await nameIn({ ...restored, env })).toEqual(['Three'])
  const folders = keys().flatMap((name) => name.split('/'))
  const chains = new Set(folders.filter((name) => name.length === 26))
  expect(chains.size).toBe(1)
})

it('takes only options that belong together', async () => {
  const place = newFolder()
  const env = { DATABASE_URL: 'postgres://localhost/none', SECRET: 'x'.repeat(40) }
  const said = async (...args: string[]) => (await runKith(args, env)).stderr
  expect(await said('backup', place, '--continuous')).toContain('A continuous backup is one of SQLite.')
  expect(await said('backup', place, '--continuous', '--keep', '3')).toContain('takes --every and --keep-days only')
  expect(await said('backup', place, '--every', '3')).toContain('--every and --keep-days need --continuous')
  expect(await said('restore', place)).toContain('A continuous backup is one of SQLite.')
  const sqlite = { ...env, DATABASE_URL: `file:${join(place, 'kith.db')}` }
  const answers = async (...args: string[]) => (await runKith(args, sqlite)).stderr
  expect(await answers('restore', place, '--at', 'yesterday')).toContain('--at takes a time such as')
  expect(await answers('restore', place, '--at', '2026-01-01T00:00:00')).toContain('--at takes a time such as')
  expect(await answers('restore', place)).toContain('There is no continuous backup at this place.')
  expect(await answers('restore', place, '--replace')).toContain('restored into a new file')
})
