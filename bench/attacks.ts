import { Agent, request } from 'node:http'
import { setPriority } from 'node:os'
import { setTimeout } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'

/** Who attacks: the owner of a workspace with a token, and a viewer of two workspaces with a session. */
export type Site = {
  url: string
  token: string
  session: Record<string, string>
  slugs: readonly [string, string]
  companies: number
}

type Sent = { method?: string; path: string; headers?: Record<string, string>; body?: string | Buffer }

/**
 * `held`: the body is announced with one byte more than is sent, and the connection stays open. `unread`: the answer is
 * not read.
 */
export type Attack = {
  name: string
  atOnce: number
  held?: true
  unread?: true
  /** What is there before the attack begins. */
  prepare?(site: Site): Promise<unknown>
  /** One of its requests. */
  next(site: Site, round: number): Sent
}

const JSON_TYPE = { 'Content-Type': 'application/json' }
const FORM_TYPE = { 'Content-Type': 'application/x-www-form-urlencoded' }
const tier = '/api/v1/schema/companies/fields/tier'
const withToken = ({ token }: Site) => ({ Authorization: `Bearer ${token}`, ...JSON_TYPE })
const withSession = ({ session }: Site) => ({ ...session, ...JSON_TYPE })

/** Every request is one that anybody may send who has such an account, or none. */
export const attacks: readonly Attack[] = [
  {
    name: 'expensive queries of one workspace',
    atOnce: 24,
    next: (site, round) =>
      round % 2 === 0
        ? expensive(site, { round: round / 2, base: '/api/v1', headers: withToken(site) })
        : expensive(site, { round: (round - 1) / 2, base: ofSession(site, 0), headers: withSession(site) }),
  },
  {
    name: 'expensive queries of one account in two workspaces',
    atOnce: 48,
    next: (site, round) =>
      expensive(site, { round: round >> 1, base: ofSession(site, round % 2), headers: withSession(site) }),
  },
  {
    name: 'lists of 14 MB',
    atOnce: 20,
    prepare: createLargeRecords,
    next: (site) => ({ path: `${ofSession(site, 0)}/notes?per_page=25`, headers: withSession(site) }),
  },
  {
    name: 'slow bodies to sign-in and the token endpoint',
    atOnce: 1001,
    held: true,
    next: (_site, round) =>
      round % 2 === 0
        ? { method: 'POST', path: '/api/app/sign-in', headers: { ...JSON_TYPE, 'X-Kith-App': '1' }, body: '{' }
        : { method: 'POST', path: '/api/auth/oauth2/token', headers: FORM_TYPE, body: 'g' },
  },
  {
    name: 'batch bodies without their last byte',
    atOnce: 150,
    held: true,
    next: (site) => ({ method: 'POST', path: '/api/v1/companies/batch', headers: withToken(site), body: BATCH }),
  },
  {
    name: 'lists of 14 MB that are not read',
    atOnce: 100,
    unread: true,
    prepare: createLargeRecords,
    next: (site) => ({ path: `${ofSession(site, 0)}/notes?per_page=25`, headers: withSession(site) }),
  },
  {
    name: 'batch bodies of empty objects',
    atOnce: 4,
    next: (site) => ({ method: 'POST', path: '/api/v1/companies/batch', headers: withToken(site), body: OBJECTS }),
  },
  {
    name: 'archiving and restoring a field, removing options',
    atOnce: 1,
    prepare: createOptions,
    next: (site, round) => ({ ...changeField(round), headers: withToken(site) }),
  },
  {
    name: 'gzipped CSV files',
    atOnce: 3,
    prepare: createJobs,
    next: (site, round) => ({
      method: 'PUT',
      path: `/api/v1/jobs/${jobs[round % 3]}/file`,
      headers: { Authorization: `Bearer ${site.token}`, 'Content-Type': 'text/csv', 'Content-Encoding': 'gzip' },
      body: CSV,
    }),
  },
]

/** 8 MB less one byte. */
const BATCH = Buffer.alloc(8 * 1024 * 1024 - 1, ' ')
/** 8 MB. */
const OBJECTS = `{"operations":[${'{},'.repeat(2_790_000)}{}]}`
/** 20 MB of empty cells in 20 KB. An open quote at the end has it refused, so that the job waits for another file. */
const CSV = gzipSync(`name${','.repeat(999)}\n${`${','.repeat(999)}\n`.repeat(20_000)}"`, { level: 9 })

function ofSession({ slugs }: Site, index: number): string {
  return `/api/app/w/${slugs[index]}/v1`
}

type Sender = { round: number; base: string; headers: Record<string, string> }

/** The most expensive queries that are allowed, each with other words. */
function expensive({ companies }: Site, { round, base, headers }: Sender): Sent {
  const words = Array.from({ length: 20 }, (_, index) => `${'aeiou'[index % 5]}${round}q${index}`)
  const nested = { $not: { $or: words.map((word) => ({ people: { company: { name: { $contains: word } } } })) } }
  const plain = { $and: words.map((word) => ({ $not: { name: { $contains: word } } })) }
  const ofPeople = { $not: { $or: words.map((word) => ({ company: { people: { name: { $contains: word } } } })) } }
  const sort = 'custom_fields.founded,custom_fields.revenue,custom_fields.employees'
  const kinds = [
    ['companies', { filter: plain, sort, per_page: 100 }],
    ['companies', { filter: nested, sort }],
    ['companies', { filter: plain, page: companies / 100, per_page: 100 }],
    ['people', { filter: ofPeople, sort: 'name' }],
  ] as const
  const [resource, body] = kinds[round % 4] ?? kinds[0]
  return { method: 'POST', path: `${base}/${resource}/query`, headers, body: JSON.stringify(body) }
}

/** Twenty-five notes of 560 KB, unless an earlier attack has made them. */
async function createLargeRecords(site: Site): Promise<void> {
  const made = await fetch(`${site.url}/api/v1/notes?per_page=1`, { headers: withToken(site) })
  if ((await made.json()).data.length > 0) return
  const codes: string[] = []
  for (const name of ['First text', 'Second text', 'Third text']) {
    const made = await create(site, '/schema/notes/fields', { name, type: 'rich-text' })
    codes.push(made.data.attributes.code)
  }
  const custom_fields = Object.fromEntries(codes.map((code) => [code, 'ab "c" é\n'.repeat(15_500)]))
  for (let n = 0; n < 25; n++) await create(site, '/notes', { title: `Note ${n}`, custom_fields })
}

const options: string[] = []

async function createOptions(site: Site): Promise<void> {
  for (let n = 0; n < 100; n++) {
    const made = await create(site, `${tier.slice('/api/v1'.length)}/options`, { label: `Option ${n}` })
    options.push(made.data.id)
  }
}

function changeField(round: number): Sent {
  const kinds: Sent[] = [
    { method: 'DELETE', path: tier },
    { method: 'PUT', path: `${tier}/restore` },
    { method: 'DELETE', path: `${tier}/options/${options[Math.floor(round / 3) % options.length]}` },
  ]
  return kinds[round % 3] ?? { path: tier }
}

const jobs: string[] = []

async function createJobs(site: Site): Promise<void> {
  for (let n = 0; n < 3; n++) {
    const job = { type: 'import', resource: 'companies', format: 'csv', mode: 'create' }
    jobs.push((await create(site, '/jobs', job)).data.id)
  }
}

type Document = { data: { id: string; attributes: { code: string } } }

async function create(site: Site, path: string, body: object): Promise<Document> {
  const sent = { method: 'POST', headers: withToken(site), body: JSON.stringify(body) }
  const response = await fetch(`${site.url}/api/v1${path}`, sent)
  if (!response.ok) throw new Error(`${path}: ${await response.text()}`)
  return (await response.json()) as Document
}

/** A message to the process of the attack. It answers `ready`, begins with `go`, and ends when it is killed. */
export type Order = { prepare: string; site: Site } | 'go'

/** How soon a connection that the service has closed is opened again. */
const AGAIN_MS = 250

function attackUntilKilled(attack: Attack, site: Site): void {
  const agent = new Agent({ keepAlive: true, maxSockets: attack.atOnce })
  let rounds = 0
  const sendOne = (sent: Sent) =>
    new Promise<number>((resolve) => {
      const { method = 'GET', path, headers = {}, body = '' } = sent
      const length = Buffer.byteLength(body) + (attack.held ? 1 : 0)
      const sizes = method === 'GET' ? {} : { 'Content-Length': String(length) }
      const sending = request(site.url + path, { method, agent, headers: { ...headers, ...sizes } })
      sending.on('error', () => resolve(0)).on('close', () => resolve(0))
      // What is received is not looked at: the processor is for the service.
      sending.on('response', (response) => {
        if (attack.unread && response.statusCode === 200) process.send?.(200)
        else response.resume().on('end', () => resolve(response.statusCode ?? 0))
      })
      if (attack.held) sending.write(body)
      else sending.end(body)
    })
  const loop = async () => {
    for (;;) {
      const status = await sendOne(attack.next(site, rounds++))
      process.send?.(status)
      if (attack.held || status === 0 || status === 503) await setTimeout(AGAIN_MS)
    }
  }
  for (let n = 0; n < attack.atOnce; n++) void loop()
}

/** Runs in a process of its own: what it costs to attack must not delay the neighbour. */
function serveAttack(): void {
  setPriority(10)
  let begin = () => {}
  process.on('message', async (order: Order) => {
    if (order === 'go') return begin()
    const attack = attacks.find(({ name }) => name === order.prepare)
    if (!attack) throw new Error(`There is no attack ${order.prepare}.`)
    await attack.prepare?.(order.site)
    begin = () => attackUntilKilled(attack, order.site)
    process.send?.('ready')
  })
}

if (process.argv[1] === import.meta.filename) serveAttack()
