import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { sql } from '../../src/storage/engines/sql.ts'
import { type Answered, apiAt } from '../api.ts'
import { type Installation, installation } from '../installation.ts'
import { runKith, spawnKith } from '../run-kith.ts'
import { freePort } from '../setup/postgres.ts'
import { type Service, startService } from '../setup/service.ts'
import { newWorkspace, runtimeAt } from '../workspace.ts'
import { bundleNext } from './next-version.ts'

const isPostgres = process.env.TEST_ENGINE === 'postgres'
const CLIENTS = 8
const RESOURCES = ['companies', 'people', 'opportunities', 'tasks', 'notes']

/** What clients saw. `times`: when writes were acknowledged. `away`: requests that no service accepted. */
type Seen = { made: string[]; times: number[]; wrong: string[]; refused: number; away: number }

type Client = { urls: readonly string[]; token: string; seen: Seen; going(): boolean }

/** Creates and lists. What is refused or has no answer is repeated at the next node, with its key. */
async function load({ urls, token, seen, going }: Client): Promise<void> {
  for (let step = 0; going(); step++) {
    const name = `${token.slice(-6)} ${step}`
    const key = { 'Idempotency-Key': randomUUID() }
    for (let node = step; ; node++) {
      const api = apiAt(urls[node % urls.length] ?? '', token)
      const created = await counted(seen, () =>
        api.send('POST', '/companies', JSON.stringify({ name }), { headers: key }),
      )
      await counted(seen, () => api.get('/companies?per_page=3'))
      if (created?.status === 201) break
      await pause(50)
    }
    seen.made.push(name)
    seen.times.push(performance.now())
  }
}

async function counted(seen: Seen, send: () => Promise<Answered>): Promise<Answered | undefined> {
  try {
    const answered = await send()
    const { status, headers, text } = answered
    if (status === 503 && headers.get('retry-after') !== null) seen.refused++
    else if (status >= 300) seen.wrong.push(`${status} ${text.slice(0, 300)}`)
    return answered
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error
    seen.away++
    return undefined
  }
}

const isReady = async (url: string) => (await fetch(`${url}/readyz`)).ok

type Upgrade = { own: Installation; old: readonly Service[]; main: string; ports: readonly number[] }

/** Two nodes: the first of the next version joins them, migrates, and then the old ones are replaced. */
async function roll({ own, old, main, ports }: Upgrade): Promise<void> {
  const [first = 0, , third = 0] = ports
  await startNext(own, { main, port: third })
  for (const { url } of old) await expect.poll(() => isReady(url)).toBe(false)
  for (const node of old) expect(await node.stop()).toBe(0)
  await startNext(own, { main, port: first })
}

/** One process: it is stopped, and the next version starts. */
async function replace({ own, old, main, ports }: Upgrade): Promise<void> {
  for (const node of old) expect(await node.stop()).toBe(0)
  await startNext(own, { main, port: ports[0] ?? 0 })
}

const started: Service[] = []

async function startNext({ env }: Installation, { main, port }: { main: string; port: number }): Promise<void> {
  started.push(await startService({ ...env, PORT: String(port) }, main))
}

it('an upgrade under load loses no acknowledged write, and the old version refuses the database after it', {
  timeout: 900_000,
}, async () => {
  const own = await installation()
  const main = await bundleNext()
  const ports = [await freePort(), await freePort(), await freePort()]
  const old: Service[] = []
  for (const port of ports.slice(0, isPostgres ? 2 : 1)) old.push(await own.start({ PORT: String(port) }))
  const urls = ports.map((port) => `http://127.0.0.1:${port}`).slice(0, isPostgres ? 3 : 1)
  const runtime = runtimeAt(own.database.url, own.env.SECRET ?? '')
  const workspace = await newWorkspace({ url: urls[0] ?? '', runtime })
  const stored = await newWorkspace({ url: urls[0] ?? '', runtime })
  await runtime.engine.close()
  expect(await own.kith('sample', '--workspace', stored.slug)).toMatchObject({ code: 0 })
  const contents = async (url: string) => {
    const api = apiAt(url, stored.api.token)
    const lists = await Promise.all(RESOURCES.map((resource) => api.get(`/${resource}?per_page=100`)))
    return lists.map(({ status, body }) => [status, body.data, body.meta.total])
  }
  const before = await contents(urls[0] ?? '')

  const seen: Seen = { made: [], times: [], wrong: [], refused: 0, away: 0 }
  let isOver = false
  const { token } = workspace.api
  const loads = Array.from({ length: CLIENTS }, () => load({ urls, token, seen, going: () => !isOver }))
  await expect.poll(() => seen.made.length).toBeGreaterThan(300)
  const begun = performance.now()
  await (isPostgres ? roll : replace)({ own, old, main, ports })
  const [enough, took] = [seen.made.length + 300, performance.now() - begun]
  await expect.poll(() => seen.made.length).toBeGreaterThan(enough)
  isOver = true
  await Promise.all(loads)

  expect(seen.wrong).toEqual([])
  const { engine } = runtimeAt(own.database.url, own.env.SECRET ?? '')
  const names = await sql<string>`select r.name from records r join workspaces w on w.number = r.workspace
    where w.id = ${workspace.id}`.column(engine.db)
  expect([...names].sort()).toEqual([...seen.made].sort())
  expect(await sql`select records from found`.count(engine.db)).toBeLessThan(names.length + before.length * 100)
  await engine.close()
  const now = urls.at(isPostgres ? 2 : 0) ?? ''
  expect(await contents(now)).toEqual(before)

  const again = await spawnKith(['serve'], { ...own.env, HOST: '127.0.0.1', PORT: '0' })
  expect([again.code, again.stdout]).toEqual([1, ''])
  expect(again.stderr).toContain('This database was migrated by a newer version (9999-next). Start that version again')
  const doctor = await runKith(['doctor'], own.env)
  expect([doctor.code, doctor.stdout]).toEqual([
    1,
    expect.stringContaining('was migrated by a newer version (9999-next)'),
  ])
  expect(await isReady(now)).toBe(true)
  for (const service of started) expect(await service.stop()).toBe(0)

  const gaps = seen.times.map((at, index) => at - (seen.times[index - 1] ?? at))
  const figures = { requests: seen.made.length, refused: seen.refused, away: seen.away, upgrade_ms: took }
  console.log(process.env.TEST_ENGINE, { ...figures, longest_without_a_write_ms: Math.max(...gaps) })
})
