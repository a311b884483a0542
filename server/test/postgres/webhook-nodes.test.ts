import { once } from 'node:events'
import { expect, it } from 'vitest'
import { sql } from '../../src/storage/engines/sql.ts'
import { type Api, apiAt } from '../api.ts'
import {
  accept,
  allowed,
  eventually,
  hookTo,
  newReceiver,
  type Receiver,
  webhookWhere,
} from '../both/webhooks/receiver.ts'
import { ownProcess } from '../own-service.ts'
import { inRun } from '../run-length.ts'
import { startService } from '../setup/service.ts'
import { whenFileEnds } from '../when-file-ends.ts'

const ENDPOINTS = 3
const RECORDS = 8
const ROUNDS = inRun({ short: 6, long: 200 })
const isLong = ROUNDS > 6

const settings = {
  ...allowed,
  ...{ RATE_LIMIT_WRITES: '0', RATE_LIMIT_WORKSPACE: '0', RATE_LIMIT_READS: '0' },
  WEBHOOK_RETRIES: Array(50).fill('0.2').join(),
}

/** Fails in every way now and then. Keeps what it has accepted. */
function moody(receiver: Receiver): Set<string>[] {
  const accepted: Set<string>[] = []
  let count = 0
  receiver.answer((received, response, request) => {
    const turn = count++ % 11
    if (turn === 3) response.writeHead(500).end()
    else if (turn === 6) request.socket.destroy()
    else if (turn === 9) response.writeHead(429, { 'Retry-After': '1' }).end()
    else {
      accepted.push(new Set([`${received.headers['kith-endpoint']} ${received.body.data.record_id}`, received.text]))
      accept(received, response, request)
    }
  })
  return accepted
}

/** For each endpoint and record: the sequences in the order in which they were first accepted. */
function firstSeen(accepted: readonly Set<string>[]): Map<string, number[]> {
  const seen = new Map<string, number[]>()
  for (const one of accepted) {
    const [key = '', text = ''] = one
    const { sequence } = JSON.parse(text).data
    const own = seen.get(key) ?? []
    if (!own.includes(sequence)) seen.set(key, [...own, sequence])
  }
  return seen
}

it('of two processes one is killed: every event arrives at least once, and those of a record in order', {
  timeout: 300_000,
}, async () => {
  const first = await ownProcess(settings)
  const second = await startService({ ...first.env, ...settings })
  whenFileEnds(() => second.stop())
  const workspace = await first.workspace()
  const receiver = await newReceiver()
  const accepted = moody(receiver)
  const cursor = (await workspace.api.get('/changes?cursor=now')).body.meta.next_cursor
  const hooks = [...Array(ENDPOINTS).keys()].map(() => hookTo(workspace.api, receiver, { types: ['companies.*'] }))
  const ids = (await Promise.all(hooks)).map(({ id }) => id)
  const survivor = apiAt(second.url, workspace.api.token)
  const records = await Promise.all(
    [...Array(RECORDS).keys()].map(async (index) => {
      return (await survivor.post('/companies', { name: `Record ${index}` })).body.data.id as string
    }),
  )
  const write = async (api: Api, round: number) => {
    for (const id of records) await api.patch(`/companies/${id}`, { name: `Round ${round}` })
  }
  for (let round = 0; round < ROUNDS / 2; round++) {
    await Promise.all([write(workspace.api, round), write(survivor, round + 0.5)])
  }
  await receiver.until(RECORDS)
  const gone = once(first.service.process, 'exit')
  first.service.process.kill('SIGKILL')
  await gone
  // The leases of the process that is gone end after 30 s.
  const past = sql`update webhooks set leased_until = '2000' where workspace_id = ${workspace.id}`
  if (!isLong) await past.run(first.runtime.engine.single)
  for (let round = ROUNDS / 2; round < ROUNDS; round++) await write(survivor, round)
  for (const id of ids) {
    await eventually(
      () => webhookWhere(survivor, id, () => true),
      ({ position }) => position.behind === 0,
      120_000,
    )
  }
  // The later events of a blocked record are behind the position, and not in the log before their first attempt.
  await eventually(
    () =>
      sql<number>`select count(*)::int from webhook_blocked where workspace_id = ${workspace.id}`.column(
        first.runtime.engine.single,
      ),
    ([blocked]) => blocked === 0,
    120_000,
  )
  const expected = new Map<string, number[]>()
  for (let page = cursor; ; ) {
    const { data, meta } = (await survivor.get(`/companies/changes?cursor=${page}&limit=1000`)).body
    for (const { attributes } of data) {
      const { record_id, sequence } = attributes
      expected.set(record_id, [...(expected.get(record_id) ?? []), sequence])
    }
    page = meta.next_cursor
    if (!meta.has_more) break
  }
  const seen = firstSeen(accepted)
  expect(expected.size).toBe(RECORDS)
  for (const id of ids) {
    for (const [record, sequences] of expected) expect(seen.get(`${id} ${record}`)).toEqual(sequences)
  }
})
