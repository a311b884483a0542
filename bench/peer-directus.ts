import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../server/test/setup/postgres.ts'
import type { Case } from './cases.ts'
import { collections, copyRecords } from './peer-data.ts'
import { CACHE } from './postgres.ts'

const VERSION = '11.3.5'
const TOKEN = 'a-token-that-is-only-used-for-measuring'
const FOLDER = join(CACHE, 'directus')

export type Peer = { url: string; token: string; process: ChildProcess; cases: readonly Case[]; stop(): void }

type Source = { api: string; token: string; records: number }

/**
 * Directus on the same PostgreSQL server with the same records, in tables made through its own interface, with indexes
 * added by hand where it makes none. Installed from npm when it is asked for the first time.
 */
export async function startDirectus(server: string, source: Source): Promise<Peer> {
  install()
  const url = `${server}/directus_${source.records}`
  const port = await freePort()
  const env = {
    PATH: process.env.PATH,
    DB_CLIENT: 'pg',
    DB_CONNECTION_STRING: url,
    SECRET: TOKEN,
    ADMIN_EMAIL: 'bench@example.com',
    ADMIN_PASSWORD: TOKEN,
    ADMIN_TOKEN: TOKEN,
    HOST: '127.0.0.1',
    PORT: String(port),
    NODE_ENV: 'production',
    LOG_LEVEL: 'error',
    TELEMETRY: 'false',
    // The figures are those of its queries, as ours are; both could stand behind a cache.
    CACHE_ENABLED: 'false',
  }
  const kept = join(FOLDER, `copied-${source.records}`)
  if (!existsSync(kept)) execFileSync(process.execPath, [cli, 'bootstrap'], { cwd: FOLDER, env, stdio: 'inherit' })
  const child = spawn(process.execPath, [cli, 'start'], { cwd: FOLDER, env, stdio: ['ignore', 'ignore', 'inherit'] })
  const address = `http://127.0.0.1:${port}`
  await untilHealthy(address)
  if (!existsSync(kept)) {
    for (const [path, body] of collections) await make(address, path, body)
    await copyRecords(source, url)
    writeFileSync(kept, '')
  }
  return { url: address, token: TOKEN, process: child, cases: await casesOf(address), stop: () => void child.kill() }
}

const cli = join(FOLDER, 'node_modules', 'directus', 'cli.js')

function install(): void {
  if (existsSync(cli)) return
  mkdirSync(FOLDER, { recursive: true })
  writeFileSync(join(FOLDER, 'package.json'), '{"private": true}')
  const options = ['--ignore-scripts', '--no-audit', '--no-fund']
  execFileSync('npm', ['install', `directus@${VERSION}`, ...options], { cwd: FOLDER, stdio: 'inherit' })
  // The sandbox of its scripted flows must be compiled. No flow runs here, so nothing stands in its place.
  writeFileSync(join(FOLDER, 'node_modules', 'isolated-vm', 'isolated-vm.js'), 'module.exports = {}\n')
}

async function untilHealthy(address: string): Promise<void> {
  const deadline = Date.now() + 120_000
  while (Date.now() < deadline) {
    const healthy = await fetch(`${address}/server/health`).then(
      (response) => response.ok,
      () => false,
    )
    if (healthy) return
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
  throw new Error('Directus did not start within two minutes.')
}

async function make(address: string, path: string, body: object): Promise<void> {
  const headers = { Authorization: `Bearer ${TOKEN}`, 'Content-Type': 'application/json' }
  const response = await fetch(address + path, { method: 'POST', headers, body: JSON.stringify(body) })
  if (!response.ok) throw new Error(`Directus answered ${response.status} to ${path}: ${await response.text()}`)
}

/** The same questions under the same names, each with its total. */
async function casesOf(address: string): Promise<Case[]> {
  const list = (collection: string, filter?: object, more = '') =>
    `/items/${collection}?sort=-created_at,id&meta=filter_count${more || '&limit=15'}${filter ? `&filter=${encodeURIComponent(JSON.stringify(filter))}` : ''}`
  const get = (name: string, ...paths: string[]): Case => ({
    name,
    method: 'GET',
    again: paths.map((path) => ({ path })),
    anew: [],
    steady: true,
  })
  const range = (from: number, to: number) => ({ employees: { _gte: from, _lt: to } })
  const both = (tiers: string[], bounds: object) => ({ _and: [{ tier: { _in: tiers } }, bounds] })
  // One operator at a time: it takes two of a related field for a value.
  const ofCompany = (from: number, to: number) => ({
    _and: [{ company_id: { employees: { _gte: from } } }, { company_id: { employees: { _lt: to } } }],
  })
  const named = (part: string) => ({ name: { _icontains: part } })
  const headers = { Authorization: `Bearer ${TOKEN}` }
  const response = await fetch(`${address}/items/companies?limit=100&offset=4900&fields=id`, { headers })
  const { data } = (await response.json()) as { data: { id: string }[] }
  const created = Array.from({ length: 5000 }, (_, n) => ({
    path: '/items/companies',
    body: JSON.stringify({ name: `Bench ${n}`, icp: true, employees: n, created_at: new Date().toISOString() }),
  }))
  return [
    get('get by id', ...data.map(({ id }) => `/items/companies/${id}`)),
    get('list of 15', list('companies')),
    get('list of 100', list('companies', undefined, '&limit=100')),
    get('name contains, ten', list('companies', named('winter zephyr'))),
    get('name contains, 1 in 100', list('companies', named('r labs'))),
    get('name contains, 1 in 2', list('companies', named('er'))),
    get('select + range, ten', list('companies', both(['Gold'], range(5000, 5003)))),
    get('select + range, 1 in 100', list('companies', both(['Gold'], range(5000, 5300)))),
    get('select + range, 1 in 2', list('companies', both(['Gold', 'Silver'], range(2500, 10_000)))),
    get('people by company, ten', list('people', ofCompany(5000, 5001))),
    get('people by company, 1 in 100', list('people', ofCompany(5000, 5110))),
    get('people by company, 1 in 2', list('people', ofCompany(5000, 10_000))),
    get('page 5,000 of 15', list('companies', undefined, '&limit=15&page=5000')),
    { name: 'create', method: 'POST', again: created, anew: [], steady: false },
  ]
}
