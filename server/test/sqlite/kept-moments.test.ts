import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DAY_MS } from '@kith/contract/limits'
import { afterEach, beforeAll, expect, it } from 'vitest'
import { ship } from '../../src/backup/continuous/ship.ts'
import type { Objects } from '../../src/contents/content-store.ts'
import { folderObjects } from '../../src/contents/folder.ts'
import { sqlitePath } from '../../src/storage/engines/database-url.ts'
import { followLog } from '../../src/storage/engines/sqlite/log.ts'
import type { Api } from '../api.ts'
import { type Installation, installation, newFolder } from '../installation.ts'
import { runKith } from '../run-kith.ts'
import { freePort } from '../setup/postgres.ts'
import type { Service } from '../setup/service.ts'
import { newWorkspace, runtimeAt } from '../workspace.ts'
import { chainsIn, companiesIn, filesIn, restoredTo, untilCopied, untilShipped } from './continuous-place.ts'

let own: Installation
let service: Service
let api: Api
let workspaceId: string
let company: string
let port: string

/** The backup runs in this process, with a clock that tests set forward. The service needs a process of its own. */
let ahead = 0
const now = () => new Date(Date.now() + ahead)

beforeAll(async () => {
  own = await installation('sqlite')
  port = String(await freePort())
  service = await own.start({ PORT: port })
  const runtime = runtimeAt(own.env.DATABASE_URL ?? '', own.env.SECRET ?? '')
  const workspace = await newWorkspace({ url: service.url, runtime })
  await runtime.engine.close()
  api = workspace.api
  workspaceId = workspace.id
  company = (await api.post('/companies', { name: 'Before' })).body.data.id
})

function follow(place: string, options: { objects?: Objects; keep_days?: number; waiting_max_bytes?: number } = {}) {
  const told: string[] = []
  const ending = new AbortController()
  const log = followLog(sqlitePath(own.env.DATABASE_URL ?? ''))
  const usual = { objects: folderObjects(place), keep_days: 7, every_ms: 20, ending: ending.signal }
  const ended = ship({ ...usual, ...options, log, now, tell: (line) => told.push(line) }).finally(() => log.close())
  // Reported by the test that waits for it.
  ended.catch(() => {})
  const stop = () => {
    ending.abort()
    return ended
  }
  follower = stop
  return { told, ended, stop }
}

let follower: (() => Promise<void>) | undefined

afterEach(async () => {
  await follower?.().catch(() => {})
})

async function rename(name: string): Promise<number> {
  expect((await api.put(`/companies/${company}`, { name })).status).toBe(200)
  return now().getTime()
}

/** Gives the company a name, and tells a moment at which it has this name in the backup. */
async function shipped(place: string, name: string): Promise<{ name: string; at: number }> {
  return { name, at: await untilShipped(await rename(name), () => filesIn(place, /\.pages$/)) }
}

const copiesIn = (place: string) => filesIn(place, /copy-\d+-\w+\.json$/)

/** Sets the clock to the next day, and waits for the copy that is due then. */
async function nextDay(place: string): Promise<void> {
  const before = new Set(copiesIn(place))
  ahead += DAY_MS
  await expect.poll(() => copiesIn(place).filter((path) => !before.has(path))).toHaveLength(1)
}

const restoredAt = (place: string, at: number) => restoredTo(place, '--at', new Date(at).toISOString())

it('keeps the moments of the last days, and removes what none of them needs', async () => {
  const place = newFolder()
  const first = follow(place, { keep_days: 2 })
  await untilCopied(place)
  const [chain = ''] = chainsIn(place)
  // As a copy leaves it that was interrupted.
  const [part = ''] = filesIn(place, /\.part$/)
  const left = join(dirname(part), '..', `copy-${now().getTime()}`)
  mkdirSync(left)
  writeFileSync(join(left, '000001-left.part'), 'x')
  const moments: { name: string; at: number }[] = []
  for (const name of ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday']) {
    moments.push(await shipped(place, name))
    await nextDay(place)
  }
  // Those of Thursday, Friday and Saturday.
  await expect.poll(() => copiesIn(place)).toHaveLength(3)
  await expect.poll(() => filesIn(place, /\.part$/).length).toBeLessThan(6)
  expect(filesIn(place, /left\.part$/)).toEqual([])
  for (const { name, at } of moments) {
    const restored = await restoredAt(place, at)
    if (['Thursday', 'Friday'].includes(name)) expect(await companiesIn(restored, workspaceId)).toEqual([name])
    else
      expect([restored.code, restored.stderr]).toEqual([1, expect.stringMatching(/cannot be restored\. Moments that/)])
  }
  await first.stop()

  // Without the backup, the log begins anew when the service stops: what follows is another chain.
  await service.stop()
  service = await own.start({ PORT: port })
  await rename('Saturday')
  const second = follow(place, { keep_days: 2 })
  await expect.poll(() => chainsIn(place)).toHaveLength(2)
  await untilCopied(place)
  const saturday = await shipped(place, 'Late on Saturday')
  for (let day = 0; day < 3; day++) await nextDay(place)
  const monday = await shipped(place, 'Monday again')
  await expect.poll(() => filesIn(place, /\.\w+$/).filter((path) => path.includes(`${chain}/`))).toEqual([])
  expect((await restoredAt(place, saturday.at)).code).toBe(1)
  expect(await companiesIn(await restoredAt(place, monday.at), workspaceId)).toEqual(['Monday again'])
  await second.stop()
  expect(await runKith(['backup', place, '--verify'], {})).toMatchObject({ code: 0 })
})

it('takes an earlier copy when the newest is damaged or gone, says so, and restores the same', async () => {
  const place = newFolder()
  const { stop } = follow(place)
  await untilCopied(place)
  const one = await shipped(place, 'One')
  const [early = ''] = filesIn(place, /\.part$/)
  await nextDay(place)
  const two = await shipped(place, 'Two')
  await stop()
  const newest = filesIn(place, /\.part$/).filter((path) => dirname(path) !== dirname(early))
  const [description = ''] = copiesIn(place).slice(-1)
  const kept = readFileSync(description)
  const damages: [string, () => void][] = [
    ['part', () => writeFileSync(newest[0] ?? '', 'nothing')],
    ['description', () => writeFileSync(description, kept.subarray(1))],
  ]
  for (const [damaged, damage] of damages) {
    damage()
    for (const restored of [await restoredTo(place), await restoredAt(place, two.at)]) {
      expect(await companiesIn(restored, workspaceId)).toEqual(['Two'])
      const skipped = damaged === 'part' ? [expect.stringMatching(/\.part is damaged or missing\.$/)] : []
      expect(restored.json.skipped).toEqual(skipped)
    }
    expect(await companiesIn(await restoredAt(place, one.at), workspaceId)).toEqual(['One'])
    const verified = await runKith(['backup', place, '--verify'], {})
    const named = damaged === 'part' ? /Damaged or missing: \S+\.part\./ : /Damaged or missing: \S+\.json/
    expect([verified.code, verified.stdout]).toEqual([1, expect.stringMatching(named)])
    expect(verified.stdout).toContain('Moments that can be restored: from ')
  }
  writeFileSync(early, 'nothing')
  const refused = await restoredTo(place)
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('No other copy leads to')])
})

it('holds what the place does not take up to a limit, and then ends with a message and leaves nothing behind', async () => {
  const place = newFolder()
  const folder = folderObjects(place)
  let isAway = false
  const objects: Objects = {
    ...folder,
    put: (key, draft) => (isAway ? Promise.reject(new Error('The place is away.')) : folder.put(key, draft)),
  }
  const options = { objects, waiting_max_bytes: 100_000 }
  const first = follow(place, options)
  await untilCopied(place)
  isAway = true
  await rename('While it is away')
  await expect.poll(() => first.told.join()).toContain('A segment could not be stored: Error: The place is away.')
  isAway = false
  const back = await shipped(place, 'Back')
  expect(first.told.join()).toContain('The place takes segments again.')
  expect(await companiesIn(await restoredAt(place, back.at), workspaceId)).toEqual(['Back'])

  isAway = true
  ahead += DAY_MS
  await expect.poll(() => first.told.join()).toContain('The database could not be copied: Error: The place is away.')
  const ends: unknown[] = []
  void first.ended.catch((error) => ends.push(String(error)))
  const names: string[] = []
  while (ends.length === 0) {
    const name = `Unsent ${names.length}`
    expect((await api.post('/companies', { name })).status).toBe(201)
    names.push(name)
  }
  expect(ends).toEqual([expect.stringContaining('The place has taken nothing for too long. Start again later.')])
  expect(readdirSync(folder.drafts)).toEqual([])
  expect(await companiesIn(await restoredTo(place), workspaceId)).toEqual(['Back'])

  // What waited is in the database all the same, and the next start takes it from there.
  isAway = false
  const second = follow(place, options)
  const again = await shipped(place, 'Again')
  const restored = await companiesIn(await restoredAt(place, again.at), workspaceId)
  expect(restored).toEqual(['Again', ...names].sort())
  isAway = true
  await rename('Last')
  await expect(second.stop()).rejects.toThrow('The place does not take the last changes. They are not in the backup.')
  expect(readdirSync(folder.drafts)).toEqual([])
})
