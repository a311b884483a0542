import { randomBytes } from 'node:crypto'
import { afterEach, expect, it } from 'vitest'
import type { Db, Engine } from '../../src/storage/engines/engine.ts'
import { openEngine } from '../../src/storage/engines/open-engine.ts'
import { sql } from '../../src/storage/engines/sql.ts'
import { StorageTrouble } from '../../src/storage/engines/storage-trouble.ts'
import { migrate, migrations } from '../../src/storage/migrations/migrate.ts'
import { insertUser } from '../../src/storage/tables/accounts.ts'
import { type Api, apiAt } from '../api.ts'
import { migratedDatabase } from '../engine.ts'
import { installation } from '../installation.ts'
import { whenFileEnds } from '../when-file-ends.ts'
import { newWorkspace, runtimeAt } from '../workspace.ts'
import { next } from './next-version.ts'

const isPostgres = process.env.TEST_ENGINE === 'postgres'
const CLIENTS = 6

const opened: Engine[] = []

afterEach(async () => {
  for (const engine of opened.splice(0)) await engine.close()
})

/** The database as a process of the next version has it. */
function newVersion(url: string): Engine {
  const engine = openEngine({ url, connections: 2 }, { writes: true })
  opened.push(engine)
  return engine
}

async function served() {
  const own = await installation()
  const { url } = await own.serve()
  const runtime = runtimeAt(own.database.url, own.env.SECRET ?? '')
  opened.push(runtime.engine)
  const workspace = await newWorkspace({ url, runtime })
  return { own, url, workspace, db: runtime.engine.db }
}

type Load = { made: string[]; wrong: string[]; refused: number }

/** Creates and lists until it is told to stop. Each answer is a success, or a 503 that says that nothing was done. */
async function load(api: Api, seen: Load, going: () => boolean): Promise<void> {
  for (let step = 0; going(); step++) {
    const name = `${api.token.slice(-6)} ${step}`
    const created = await api.post('/companies', { name })
    const listed = await api.get('/companies?per_page=3')
    if (created.status === 201) seen.made.push(name)
    for (const { status, headers, text } of [created, listed]) {
      if (status === 503 && headers.get('retry-after') !== null) seen.refused++
      else if (status >= 300) seen.wrong.push(`${status} ${text}`)
    }
  }
}

it('while a newer version migrates, requests succeed or get 503 with Retry-After, and nothing is written after it', async () => {
  const { own, url, workspace, db } = await served()
  const seen: Load = { made: [], wrong: [], refused: 0 }
  const tokens = await Promise.all(Array.from({ length: CLIENTS }, () => workspace.token()))
  let going = true
  const loads = tokens.map(({ token }) => load(apiAt(url, token), seen, () => going))
  await expect.poll(() => seen.made.length).toBeGreaterThan(60)
  await migrate(newVersion(own.database.url), new Date(), [...migrations, next])
  const before = seen.refused
  await expect.poll(() => seen.refused - before).toBeGreaterThan(CLIENTS * 4)
  going = false
  await Promise.all(loads)
  expect(seen.wrong).toEqual([])
  const found = await sql`select records from found`.count(db)
  expect(await sql`select count(*) from records`.count(db)).toBe(found)
  expect(seen.made).toHaveLength(found)

  const refused = await workspace.api.post('/companies', { name: 'Late' })
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1'])
  expect(refused.body.message).toMatch(
    /^A newer version of Kith has changed the database, so this node does not use it/,
  )
  const start = await fetch(`${url}/api/app/start`, { headers: { 'X-Kith-App': '1' } })
  expect([start.status, start.headers.get('retry-after')]).toEqual([503, '1'])
  const ready = await fetch(`${url}/readyz`)
  expect([ready.status, await ready.json()]).toMatchObject([503, { reason: refused.body.message }])
  expect((await fetch(`${url}/healthz`)).status).toBe(200)
})

it('an error that comes from the changed tables is 503 with Retry-After, not 500', async () => {
  const { own, workspace } = await served()
  expect((await workspace.api.get('/companies')).status).toBe(200)
  const renamed = { name: '9999-next', statements: () => ['alter table tokens rename column hash to digest'] }
  await migrate(newVersion(own.database.url), new Date(), [...migrations, renamed])
  // Before the service has looked: it does so every second.
  const answer = await workspace.api.get('/companies')
  expect([answer.status, answer.headers.get('retry-after')], answer.text).toEqual([503, '1'])
})

/** A transaction that writes, as the service runs it. Tells why it was refused. */
async function write(engine: Engine, during: () => Promise<unknown> = async () => {}): Promise<string> {
  const id = randomBytes(8).toString('hex')
  const user = { id, name: 'Ada', email: `${id}@example.com`, verified: true }
  try {
    await engine.transaction(async (inside: Db) => {
      await insertUser(inside, user, new Date().toISOString())
      await during()
    })
    return 'written'
  } catch (error) {
    if (error instanceof StorageTrouble) return error.kind
    throw error
  }
}

async function heldEngine() {
  const database = await migratedDatabase()
  whenFileEnds(database.drop)
  const engine = openEngine({ url: database.url, connections: 10 }, { writes: true })
  opened.push(engine)
  await migrate(engine, new Date())
  return { engine, url: database.url }
}

it('a migration waits for what is being written, and what comes later is refused', async () => {
  const { engine, url } = await heldEngine()
  const [begun, ending] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const writing = write(engine, () => {
    begun.resolve()
    return ending.promise
  })
  await begun.promise
  let isMigrated = false
  const migrating = migrate(newVersion(url), new Date(), [...migrations, next]).then(() => {
    isMigrated = true
  })
  // SQLite has one transaction that writes at a time anyway.
  if (isPostgres) await expect.poll(() => write(engine)).toBe('migrating')
  const written = await sql`select count(*) from users`.count(engine.db)
  expect(isMigrated).toBe(false)
  ending.resolve()
  expect(await writing).toBe('written')
  await migrating
  expect(await write(engine)).toBe('outdated')
  expect(await sql`select users from found`.count(engine.db)).toBe(written + 1)
  expect(await sql`select count(*) from users`.count(engine.db)).toBe(written + 1)
})

it.runIf(isPostgres)(
  'while a long read keeps a migration from its tables, it lets others write in between',
  async () => {
    const { engine, url } = await heldEngine()
    const [begun, ending] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const reading = engine.readTransaction(async (inside) => {
      await sql`select count(*) from users`.count(inside)
      begun.resolve()
      await ending.promise
    })
    await begun.promise
    const migrating = migrate(newVersion(url), new Date(), [...migrations, next])
    await expect.poll(() => write(engine)).toBe('migrating')
    await expect.poll(() => write(engine)).toBe('written')
    ending.resolve()
    await reading
    expect(await migrating).toEqual(['9999-next'])
    expect(await write(engine)).toBe('outdated')
  },
)
