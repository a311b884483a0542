import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { beforeAll, expect, it } from 'vitest'
import { testDatabase } from '../engine.ts'
import { keyed } from '../same-key.ts'
import { serveHere } from '../setup/serve-here.ts'
import { whenFileEnds } from '../when-file-ends.ts'
import { newWorkspace, runtimeAt, type TestWorkspace } from '../workspace.ts'

/** Where the connection is cut: before the server gets the commit, or after it has carried it out. */
type Cut = 'before' | 'after'

let workspace: TestWorkspace
let cutNext: Cut | undefined
/** The connections between the service and the database, both sides. */
const open = new Set<Socket>()
let hangs = false

beforeAll(async () => {
  const database = await testDatabase('postgres')
  const secret = randomBytes(32).toString('hex')
  const service = await serveHere({ DATABASE_URL: await startWire(new URL(database.url)), SECRET: secret })
  const runtime = runtimeAt(database.url, secret)
  whenFileEnds(async () => {
    await service.stop()
    await runtime.engine.close()
    await database.drop()
  })
  workspace = await newWorkspace({ url: service.url, runtime })
})

/** The company whose creation is cut. */
const nameOf = (cut: Cut) => `Lost ${cut}`

/** As PostgreSQL's protocol sends it: a simple query. */
const COMMIT = Buffer.from('Q\0\0\0\x0bcommit\0')
/** The end of its response. */
const COMMITTED = Buffer.from('COMMIT\0')

/** Forwards everything to the database, and can cut a connection. Returns the address for the service. */
async function startWire(database: URL): Promise<string> {
  const wire = createServer((client) => {
    let isOurs = false
    let isCutting = false
    const server = connect(Number(database.port), database.hostname)
    for (const socket of [client, server]) {
      open.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        for (const one of [client, server]) {
          one.destroy()
          open.delete(one)
        }
      })
    }
    client.on('data', (bytes: Buffer) => {
      // The service also commits work of its own.
      if (cutNext !== undefined && bytes.includes(nameOf(cutNext))) isOurs = true
      const cut = isOurs && bytes.includes(COMMIT) ? cutNext : undefined
      if (cut !== undefined) cutNext = undefined
      if (cut === 'before') return client.destroy()
      isCutting = cut === 'after'
      server.write(bytes)
    })
    server.on('data', (bytes: Buffer) => {
      if (isCutting && bytes.includes(COMMITTED)) client.destroy()
      else client.write(bytes)
    })
    if (hangs) for (const socket of [client, server]) socket.pause()
  }).listen(0, '127.0.0.1')
  await once(wire, 'listening')
  whenFileEnds(() => {
    for (const socket of open) socket.destroy()
    wire.close()
  })
  const address = wire.address()
  const through = new URL(database)
  through.port = String(typeof address === 'object' ? address?.port : 0)
  return through.href
}

it.each<[Cut, string, string | null]>([
  ['before', 'does the work', null],
  ['after', 'replays what was stored', 'true'],
])(
  'sync 2. 503 without Retry-After, lost %s the commit: the same request with the same key %s',
  async (cut, _how, replayed) => {
    const { api } = workspace
    const send = () => api.post('/companies', { name: nameOf(cut) }, keyed(cut))
    cutNext = cut
    const lost = await send()
    expect([lost.status, lost.headers.get('Retry-After')]).toEqual([503, null])
    expect(lost.body.message).toMatch(/repeat it with the same Idempotency-Key/)
    const settled = await send()
    expect([settled.status, settled.headers.get('Idempotent-Replayed')]).toEqual([201, replayed])
    const { id } = settled.body.data
    const found = (await api.get(`/companies?filter[name][$eq]=${nameOf(cut)}`)).body.data
    expect(found.map((company: { id: string }) => company.id)).toEqual([id])
    const { data } = (await api.get('/companies/changes?since=2020-01-01&payload=thin')).body
    const own = data.filter((entry: { attributes: { record_id: string } }) => entry.attributes.record_id === id)
    expect(own).toHaveLength(1)
  },
)

it('a database that hangs is 503 with Retry-After, until it goes on', async () => {
  const { api } = workspace
  expect((await api.get('/companies')).status).toBe(200)
  hangs = true
  for (const socket of open) socket.pause()
  const refused = await api.get('/companies')
  expect([refused.status, refused.headers.get('Retry-After')]).toEqual([503, '1'])
  hangs = false
  for (const socket of open) socket.resume()
  await expect.poll(async () => (await api.get('/companies')).status).toBe(200)
})
