/**
 * Keeps the companies of a Kith workspace and of another system equal, in both directions.
 *
 * The other system is a folder with one JSON file for each company: `{"name": "Acme", "domains": ["acme.com"]}`. The
 * name of the file is its id there. Replace `readFolder`, `writeCompany` and `removeCompany` by calls of your system.
 *
 *   KITH_URL=http://localhost:3000 KITH_TOKEN=kith_… node sync.ts FOLDER
 *
 * One run reads what has changed in Kith, then sends what has changed in the folder. Run it as often as you like. It
 * can be stopped at any time: the next run continues.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createClient, KithError, type SyncRecord } from '@kith/sdk'

type Company = { name: string; domains: string[] }
/** What both sides had after the last run: the file as text, and when Kith changed the record. */
type Synced = { kith_id: string; updated_at: string; text: string }
type State = { cursor?: string; synced: Record<string, Synced> }

const NAMESPACE = 'folder'
process.on('uncaughtException', ({ message }) => {
  console.error(message)
  process.exit(1)
})
const { KITH_URL = 'http://localhost:3000', KITH_TOKEN } = process.env
if (!KITH_TOKEN) throw new Error('KITH_TOKEN is missing: an access token of the workspace.')
const [folder = 'companies'] = process.argv.slice(2)
const stateFile = join(folder, '.sync-state')
const kith = createClient<{ companies: { domains: string[] } }>({ url: KITH_URL, token: KITH_TOKEN })

mkdirSync(folder, { recursive: true })
const state: State = existsSync(stateFile) ? JSON.parse(readFileSync(stateFile, 'utf8')) : { synced: {} }
/** The ids in the folder by those in Kith. */
const ids = new Map(Object.entries(state.synced).map(([id, { kith_id }]) => [kith_id, id]))

await pull()
await push()

/** Applies the changes of Kith to the folder. What this script itself has sent does not come back. */
async function pull(): Promise<void> {
  await kith.mirror({
    resources: ['companies'],
    cursor: state.cursor,
    excludeOwn: true,
    once: true,
    held: () => Object.values(state.synced).map(({ kith_id }) => ({ type: 'companies', id: kith_id })),
    put: (record) => (record.type === 'companies' ? take(record) : undefined),
    remove: ({ id }) => drop(id),
    save(cursor) {
      state.cursor = cursor
      saveState()
    },
  })
}

async function take(record: SyncRecord<{ companies: { domains: string[] } }, 'companies'>): Promise<void> {
  const { name, updated_at, external_ids, custom_fields } = record.attributes
  const known = external_ids[NAMESPACE]?.[0]
  const id = known ?? ids.get(record.id) ?? record.id
  const text = textOf({ name, domains: custom_fields.domains })
  const local = readCompany(id)
  // Both sides have changed: Kith's version is taken, and the other one is kept next to it.
  if (local !== undefined && local !== state.synced[id]?.text && local !== text) keepConflict(id, local)
  writeCompany(id, text)
  remember(id, { kith_id: record.id, updated_at, text })
  if (known !== undefined) return
  // Only if the record has not changed since: otherwise that change comes next, and is not to be taken for known.
  await attempt(id, async () => {
    const { data } = await kith.companies.update(
      record.id,
      { external_ids: { [NAMESPACE]: id } },
      { ifMatch: updated_at },
    )
    remember(id, { kith_id: record.id, updated_at: data.attributes.updated_at, text })
  })
}

function drop(kithId: string): void {
  const id = ids.get(kithId)
  if (id === undefined) return
  const local = readCompany(id)
  if (local !== undefined && local !== state.synced[id]?.text) keepConflict(id, local)
  removeCompany(id)
  forget(id)
}

/** Sends what has changed in the folder since the last run. */
async function push(): Promise<void> {
  const local = readFolder()
  for (const [id, text] of Object.entries(local)) {
    const synced = state.synced[id]
    if (synced?.text === text) continue
    await attempt(id, () => (synced ? change(id, text, synced) : add(id, text)))
    saveState()
  }
  for (const [id, { kith_id, updated_at }] of Object.entries(state.synced)) {
    if (id in local) continue
    await attempt(id, () => kith.companies.delete(kith_id, { ifMatch: updated_at }))
    forget(id)
    saveState()
  }
}

/** A run that was stopped after it finds the record again, and takes it: someone may have changed it since. */
async function add(id: string, text: string): Promise<void> {
  const { name, domains }: Company = JSON.parse(text)
  const filter = { external_ids: { [NAMESPACE]: { $has_any: [id] } } }
  for await (const record of kith.companies.export({ filter })) return take(record)
  const { data } = await kith.companies.create({
    name,
    custom_fields: { domains },
    external_ids: { [NAMESPACE]: id },
  })
  remember(id, { kith_id: data.id, updated_at: data.attributes.updated_at, text })
}

/** Only if the record has not changed in Kith since. */
async function change(id: string, text: string, { kith_id, updated_at }: Synced): Promise<void> {
  const { name, domains }: Company = JSON.parse(text)
  const input = { name, custom_fields: { domains } }
  const { data } = await kith.companies.update(kith_id, input, { ifMatch: updated_at })
  remember(id, { kith_id, updated_at: data.attributes.updated_at, text })
}

/**
 * A record that was changed or deleted in Kith during this run is left to the next run, which reads the change. One that
 * Kith refuses is reported, and does not stop the others.
 */
async function attempt(id: string, send: () => Promise<void>): Promise<void> {
  try {
    await send()
  } catch (error) {
    if (error instanceof KithError && ['precondition_failed', 'not_found'].includes(error.kind)) return
    if (!(error instanceof KithError) || error.kind !== 'invalid') throw error
    console.error(`${id}: ${error.message}`)
    process.exitCode = 1
  }
}

function remember(id: string, synced: Synced): void {
  state.synced[id] = synced
  ids.set(synced.kith_id, id)
}

function forget(id: string): void {
  ids.delete(state.synced[id]?.kith_id ?? '')
  delete state.synced[id]
}

function textOf(company: Company): string {
  return `${JSON.stringify(company)}\n`
}

function readFolder(): Record<string, string> {
  const names = readdirSync(folder).filter((name) => name.endsWith('.json'))
  return Object.fromEntries(names.map((name) => [name.slice(0, -5), readFileSync(join(folder, name), 'utf8')]))
}

function readCompany(id: string): string | undefined {
  const path = join(folder, `${id}.json`)
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined
}

function writeCompany(id: string, text: string): void {
  writeFileSync(join(folder, `${id}.json`), text)
}

function keepConflict(id: string, text: string): void {
  writeFileSync(join(folder, `${id}.conflict`), text)
}

function removeCompany(id: string): void {
  rmSync(join(folder, `${id}.json`), { force: true })
}

function saveState(): void {
  writeFileSync(stateFile, JSON.stringify(state))
}
