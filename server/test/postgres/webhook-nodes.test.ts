import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { beforeAll, expect, it } from 'vitest'
import { sql } from '../../src/storage/engines/sql.ts'
import { type Api, apiAt } from '../api.ts'
import {
  accept,
  deliveriesOf,
  eventually,
  hookTo,
  newReceiver,
  type Received,
  type Receiver,
  webhookAt,
  webhookWhere,
} from '../both/webhooks/receiver.ts'
import { webhookSettings } from '../both/webhooks/world.ts'
import { type OwnProcess, ownProcess } from '../own-service.ts'
import { inRun, isLong } from '../run-length.ts'
import { type Service, startService } from '../setup/service.ts'
import { whenFileEnds } from '../when-file-ends.ts'
import type { TestWorkspace } from '../workspace.ts'

const ENDPOINTS = 2
const RECORDS = 8
/** In each of three parts of the test, all records are changed so often, in the long run once a second. */
const ROUNDS = inRun({ short: 2, long: 60 })
const DOWN_MS = isLong ? 5000 : 300
const SLOW_MS = isLong ? 2000 : 200
/** How many requests hang. In the short run it is one, which ends when the receiver is killed. */
const HANGS = inRun({ short: 1, long: 1000 })
const PATIENCE_MS = 400_000

const settings = { ...webhookSettings, WEBHOOK_RETRIES: [...Array(10).fill('0.2'), ...Array(40).fill('2')].join() }

let first: OwnProcess
let second: Service
let workspace: TestWorkspace
let survivor: Api
let refused: Awaited<ReturnType<typeof refusedServer>>

beforeAll(async () => {
  first = await ownProcess(settings)
  second = await startService({ ...first.env, ...settings })
  whenFileEnds(() => second.stop())
  workspace = await first.workspace()
  survivor = apiAt(second.url, workspace.api.token)
  refused = await refusedServer()
})

/** A server at a name that has a refused address as well. Nothing must connect to it. */
async function refusedServer() {
  let connections = 0
  const server = createServer((_request, response) => response.writeHead(204).end())
  server.on('connection', () => connections++)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  whenFileEnds(() => server.close())
  // 127.0.0.1 is allowed, ::1 is not.
  const url = `http://localhost:${(server.address() as AddressInfo).port}/`
  return { url, connections: () => connections }
}

type Accepted = { endpoint: string; record: string; sequence: number }

function acceptedOf({ headers, body }: Received): Accepted {
  return { endpoint: headers['kith-endpoint'] ?? '', record: body.data.record_id, sequence: body.data.sequence }
}

/** Fails in every way now and then. Returns what it has accepted. */
function moody(receiver: Receiver): Accepted[] {
  const accepted: Accepted[] = []
  let count = 0
  let hangs = 0
  let isHanging = false
  receiver.answer(async (received, response, request) => {
    const turn = count++ % 15
    if (turn === 2) response.writeHead(500).end()
    else if (turn === 4) request.socket.destroy()
    else if (turn === 6) response.writeHead(429, { 'Retry-After': '1' }).end()
    else if (turn === 8) response.writeHead(301, { Location: refused.url }).end()
    else if (turn === 10) request.socket.end('220 this is no web server\r\n')
    else if (turn === 12 && hangs < HANGS && !isHanging) {
      // Until the sender gives up, or the receiver is killed.
      hangs++
      isHanging = true
      response.on('close', () => {
        isHanging = false
      })
    } else {
      if (turn === 14) await setTimeout(SLOW_MS)
      accepted.push(acceptedOf(received))
      accept(received, response, request)
    }
  })
  return accepted
}

/** The sequences of an endpoint by record, in the order in which they were first accepted. */
function firstSeen(accepted: readonly Accepted[], endpoint: string): Record<string, number[]> {
  const seen = new Map<string, Set<number>>()
  for (const one of accepted) {
    if (one.endpoint !== endpoint) continue
    seen.set(one.record, (seen.get(one.record) ?? new Set()).add(one.sequence))
  }
  return Object.fromEntries([...seen].map(([record, sequences]) => [record, [...sequences]]))
}

/** The sequences of the feed by record. */
async function changesAfter(cursor: string): Promise<Record<string, number[]>> {
  const found: Record<string, number[]> = {}
  for (let page = cursor; ; ) {
    const { data, meta } = (await survivor.get(`/companies/changes?cursor=${page}&limit=1000`)).body
    for (const { attributes } of data) {
      found[attributes.record_id] = [...(found[attributes.record_id] ?? []), attributes.sequence]
    }
    page = meta.next_cursor
    if (!meta.has_more) return found
  }
}

function caughtUp(id: string): Promise<unknown> {
  return eventually(
    () => webhookAt(survivor, id),
    ({ position }) => position.behind === 0 && position.blocked === 0,
    PATIENCE_MS,
  )
}

it('with receivers that fail in every way, and a process that is killed: every event arrives at least once, in order for each record, and nothing goes to a refused address', {
  timeout: 2 * PATIENCE_MS,
}, async () => {
  const { api } = workspace
  const types = ['companies.*']
  const [receiver, leaving] = [await newReceiver(), await newReceiver()]
  const accepted = moody(receiver)
  const acceptedBeforeAndAfter: Accepted[] = []
  let isGone = false
  leaving.answer((received, response, request) => {
    if (isGone) return void response.writeHead(410).end()
    acceptedBeforeAndAfter.push(acceptedOf(received))
    accept(received, response, request)
  })
  const cursor = (await api.get('/changes?cursor=now')).body.meta.next_cursor
  const ids: string[] = []
  for (let one = 0; one < ENDPOINTS; one++) ids.push((await hookTo(api, receiver, { types })).id)
  const gone = (await hookTo(api, leaving, { types })).id
  const never = (await hookTo(api, leaving, { types, url: refused.url })).id

  const records: string[] = []
  for (let one = 0; one < RECORDS; one++) {
    records.push((await survivor.post('/companies', { name: `Record ${one}` })).body.data.id)
  }
  const change = async (by: Api, name: string) => {
    for (const id of records) await by.patch(`/companies/${id}`, { name })
  }
  const rounds = async (part: string, writers: readonly Api[]) => {
    for (let round = 0; round < ROUNDS; round++) {
      const pause = setTimeout(isLong ? 1000 : 0)
      await Promise.all(writers.map((by, writer) => change(by, `${part}, round ${round}, writer ${writer}`)))
      await pause
    }
  }
  const down = async () => {
    await receiver.kill()
    await setTimeout(DOWN_MS)
    await receiver.restart()
  }

  await leaving.until(1, PATIENCE_MS)
  isGone = true
  await Promise.all([
    rounds('Both write', [api, survivor]),
    receiver.until(ENDPOINTS * RECORDS, PATIENCE_MS).then(down),
  ])
  await eventually(
    () => webhookAt(survivor, gone),
    ({ state, reason }) => state === 'disabled' && reason === 'gone',
    PATIENCE_MS,
  )

  const exited = once(first.service.process, 'exit')
  first.service.process.kill('SIGKILL')
  await exited
  // The leases of the process that is gone end after 30 s.
  const past = sql`update webhooks set leased_until = '2000' where workspace_id = ${workspace.id}`
  if (!isLong) await past.run(first.runtime.engine.single)
  await rounds('One writes', [survivor])

  isGone = false
  await survivor.patch(`/webhooks/${gone}`, { state: 'active' })
  await Promise.all([rounds('After 410', [survivor]), down()])

  for (const id of [...ids, gone]) await caughtUp(id)
  const expected = await changesAfter(cursor)
  expect(Object.keys(expected)).toHaveLength(RECORDS)
  for (const id of ids) expect(firstSeen(accepted, id)).toEqual(expected)
  expect(firstSeen(acceptedBeforeAndAfter, gone)).toEqual(expected)

  await webhookWhere(survivor, never, ({ last_failure_at }) => last_failure_at !== null)
  const attempts = (await deliveriesOf(survivor, never)).flatMap(({ attributes }) => attributes.attempts)
  expect(new Set(attempts.map(({ error }) => error))).toEqual(new Set(['blocked_address']))
  expect(refused.connections()).toBe(0)
})
