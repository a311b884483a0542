import { createHash } from 'node:crypto'
import {
  closeSync,
  copyFileSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import type { BuiltInName } from '@kith/contract/resource'
import { type Installation, kith, thisCheckout } from './kith.ts'
import { CACHE, copyDatabase, createDatabase } from './postgres.ts'

export type Database = 'sqlite' | 'postgres'
export type Sizes = { companies: number } & Partial<Record<BuiltInName, number>>
export type BenchData = Installation & { slug: string; token: string }
type Wanted = { database: Database; sizes: Sizes; checkout?: string; server: string | undefined; own?: number }

/** Five more fields for companies and four for people, so that each has eight or more. */
const fields = [
  ['Tier', 'select', '--options', 'Gold,Silver,Bronze'],
  ['Employees', 'number'],
  ['Revenue', 'currency'],
  ['Founded', 'date'],
  ['Labels', 'tags-input'],
]

const OWNER = 'bench@example.com'

/** Adds a workspace with sample records. The same seed gives the same records in every version. */
export function createWorkspace(at: Installation, slug: string, sizes: Sizes): BenchData {
  kith(at, ['workspace', 'create', '--name', slug, '--slug', slug, '--owner', OWNER])
  const addField = (entity: string, [name = '', type = '', ...more]: readonly string[]) =>
    kith(at, ['field', 'create', '--workspace', slug, '--entity', entity, '--name', name, '--type', type, ...more])
  for (const field of fields) addField('companies', field)
  for (const field of fields.slice(0, 4)) addField('people', field)
  const counts = Object.entries(sizes).flatMap(([resource, count]) => [`--${resource}`, String(count)])
  kith(at, ['sample', '--workspace', slug, ...counts, '--seed', '1'])
  return { ...at, slug, token: createToken(at, slug) }
}

/** Adds resources of the workspace's own, each with as many records as it has companies, which they refer to. */
function addOwnResources(at: BenchData, count: number, records: number): void {
  const workspace = ['--workspace', at.slug]
  for (let number = 1; number <= count; number++) {
    kith(at, ['resource', 'create', ...workspace, '--name', `Things ${number}`, '--singular', `Thing ${number}`])
    const entity = ['field', 'create', ...workspace, '--entity', `things_${number}`]
    for (const [name = '', type = '', ...more] of fields.slice(0, 2)) {
      kith(at, [...entity, '--name', name, '--type', type, ...more])
    }
    kith(at, [...entity, '--name', 'Company', '--type', 'record', '--target', 'companies'])
    kith(at, ['sample', ...workspace, '--own', `things_${number}=${records}`, '--seed', '1'])
  }
}

export function createToken(at: Installation, slug: string): string {
  const options = ['--workspace', slug, '--user', OWNER, '--name', 'bench', '--abilities', 'read,create,update,delete']
  return kith<{ token: string }>(at, ['token', 'create', ...options]).token
}

/** A database with one workspace, built on first use and kept in `.cache/`. `copy` makes a fresh copy of it. */
export async function cachedData({ database, sizes, checkout = thisCheckout, server, own = 0 }: Wanted) {
  const { companies, people = 0, ...others } = sizes
  const name = [
    'bench',
    companies,
    people,
    ...Object.values(others),
    ...(own ? [`own${own}`] : []),
    schemaOf(checkout),
  ].join('_')
  const folder = join(CACHE, name)
  const url = server === undefined ? `file:${join(folder, 'kith.db')}` : `${server}/${name}`
  const note = join(CACHE, `${name}.${database}.json`)
  const at = { checkout, url }
  const made = await readOr(note, async () => {
    console.error(`Building ${name} on ${database} …`)
    if (server === undefined) rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder, { recursive: true })
    if (server !== undefined) await createDatabase(server, name)
    kith(at, ['migrate'])
    kith(at, ['user', 'create', '--email', OWNER, '--name', 'Bench'])
    const workspace = createWorkspace(at, 'bench', sizes)
    if (own > 0) addOwnResources(workspace, own, companies)
    const { slug, token } = workspace
    return { slug, token }
  })
  const data = { ...at, ...made }
  const copy = async (suffix: string): Promise<BenchData> => {
    if (server === undefined) return { ...data, url: `file:${copyFile(folder, suffix)}` }
    await copyDatabase(server, name, `${name}_${suffix}`)
    return { ...data, url: `${url}_${suffix}` }
  }
  return { data, copy }
}

function copyFile(folder: string, suffix: string): string {
  const path = join(folder, `${suffix}.db`)
  for (const end of ['-wal', '-shm']) rmSync(path + end, { force: true })
  copyFileSync(join(folder, 'kith.db'), path)
  // Written to the disk now, so that no commit of the run waits for it.
  const file = openSync(path, 'r+')
  fsyncSync(file)
  closeSync(file)
  return path
}

/** Changes when the migrations or the sample change, so that cached data never has an old schema. */
function schemaOf(checkout: string): string {
  const hash = createHash('sha256')
  for (const folder of ['storage/migrations', 'sample']) {
    const path = join(checkout, 'server/src', folder)
    const files = readdirSync(path, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'))
    for (const file of files.sort()) hash.update(readFileSync(join(path, file)))
  }
  return hash.digest('hex').slice(0, 8)
}

async function readOr(note: string, make: () => Promise<Pick<BenchData, 'slug' | 'token'>>) {
  try {
    return JSON.parse(readFileSync(note, 'utf8')) as Awaited<ReturnType<typeof make>>
  } catch {
    const made = await make()
    writeFileSync(note, JSON.stringify(made))
    return made
  }
}
