import {
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { abilities } from '@kith/contract/abilities'
import { enterAsOperator } from '../server/src/accounts/enter-workspace.ts'
import { createToken } from '../server/src/accounts/tokens.ts'
import { createUser } from '../server/src/accounts/users.ts'
import { createWorkspace } from '../server/src/accounts/workspaces.ts'
import { createField } from '../server/src/fields/define.ts'
import { loadSample, type SampleSizes } from '../server/src/sample/load.ts'
import type { Runtime } from '../server/src/scope/scope.ts'
import { openEngine } from '../server/src/storage/engines/open-engine.ts'
import { migrate } from '../server/src/storage/migrations/migrate.ts'
import { CACHE, makeDatabase } from './postgres.ts'

export type BenchData = { url: string; secret: string; slug: string; token: string }

/** Five fields more for each of the two, so that a record has eight. */
const fields = [
  { name: 'Tier', type: 'select', options: ['Gold', 'Silver', 'Bronze'] },
  { name: 'Employees', type: 'number' },
  { name: 'Revenue', type: 'currency' },
  { name: 'Founded', type: 'date' },
  { name: 'Labels', type: 'tags-input' },
  { name: 'Motto', type: 'text' },
]

/** A database with one workspace of so many made-up records, made the first time it is asked for. */
export async function benchData(url: string, sizes: Partial<SampleSizes>): Promise<BenchData> {
  const engine = openEngine({ url, connections: 4 }, { writes: true })
  const secret = 'a secret that is only used for measuring'
  const runtime: Runtime = { engine, secret, now: () => new Date() }
  await migrate(engine, new Date())
  const owner = await createUser(runtime, { name: 'Bench', email: `bench-${Date.now()}@example.com` })
  const { slug } = await createWorkspace(runtime, { name: 'Bench', owner: owner.email })
  const companiesNeed = fields
  const peopleNeed = fields.slice(0, 4)
  for (const field of companiesNeed.slice(0, 5))
    await createField(await enterAsOperator(runtime, slug), 'companies', field)
  for (const field of peopleNeed) await createField(await enterAsOperator(runtime, slug), 'people', field)
  const scope = await enterAsOperator(runtime, slug, 'sample')
  const all = { companies: 0, people: 0, opportunities: 0, tasks: 0, notes: 0, ...sizes }
  await loadSample(scope, { sizes: all, seed: 1 })
  const { token } = await createToken(scope, { name: 'bench', abilities, expires: 'never' })
  await engine.close()
  return { url, secret, slug, token }
}

/** A SQLite database of these sizes, kept in the cache under a name. */
export async function cachedSqlite(name: string, sizes: Partial<SampleSizes>): Promise<BenchData> {
  const folder = join(CACHE, name)
  return noted(join(folder, 'bench.json'), name, async () => {
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder, { recursive: true })
    return benchData(`file:${join(folder, 'kith.db')}`, sizes)
  })
}

/** Works on a copy of a SQLite database, so that what is written stays out of the next run. */
export async function onCopy<T>(made: BenchData, work: (copy: BenchData) => Promise<T>): Promise<T> {
  const path = made.url.replace('file:', '')
  const copy = `${path}.copy`
  const remove = () => {
    for (const end of ['', '-wal', '-shm']) rmSync(copy + end, { force: true })
  }
  remove()
  copyFileSync(path, copy, constants.COPYFILE_FICLONE)
  if (existsSync(`${path}-wal`)) copyFileSync(`${path}-wal`, `${copy}-wal`)
  // On the disk first, so that no commit of the run waits for it.
  const file = openSync(copy, 'r+')
  fsyncSync(file)
  closeSync(file)
  try {
    return await work({ ...made, url: `file:${copy}` })
  } finally {
    remove()
  }
}

/** Likewise in a PostgreSQL server whose data stay. */
export async function cachedPostgres(server: string, name: string, sizes: Partial<SampleSizes>): Promise<BenchData> {
  const database = `${server}/${name.replaceAll('-', '_')}`
  const data = await noted(join(CACHE, `postgres-${name}.json`), `${name} in PostgreSQL`, async () => {
    await makeDatabase(server, name.replaceAll('-', '_'))
    return benchData(database, sizes)
  })
  // The server has another port each time.
  return { ...data, url: database }
}

/** What was made before, or is made now and noted. */
export async function noted(note: string, name: string, make: () => Promise<BenchData>): Promise<BenchData> {
  try {
    return JSON.parse(readFileSync(note, 'utf8'))
  } catch {
    console.log(`Making ${name} …`)
    const data = await make()
    writeFileSync(note, JSON.stringify(data))
    return data
  }
}
