import { once } from 'node:events'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { enterAsMember } from '../../src/accounts/workspace.ts'
import { replaceRepeat } from '../../src/records/tasks/task-plan.ts'
import { type Api, apiAt } from '../api.ts'
import { checkLedger } from '../faults/check-ledger.ts'
import { newLedger, writeOn } from '../faults/ledger.ts'
import { type Installation, installation } from '../installation.ts'
import { inRun } from '../run-length.ts'
import { expectOneEffect, keyed, lockCompany } from '../same-key.ts'
import type { Serving } from '../setup/serve-here.ts'
import type { Service } from '../setup/service.ts'
import { newWorkspace, runtimeAt, type TestWorkspace } from '../workspace.ts'
import { startProxy } from './proxy.ts'

const ROUNDS = inRun({ short: 3, long: 9 })

/** Two processes on one database, one of which is that of the test. */
describe('two nodes of an installation', () => {
  let place: Installation
  let nodes: [Serving, Serving]
  let runtime: ReturnType<typeof runtimeAt>
  let workspace: TestWorkspace

  beforeAll(async () => {
    place = await installation('postgres')
    nodes = [await place.start({ RATE_LIMIT_WRITES: '60' }), await place.serve({ RATE_LIMIT_WRITES: '60' })]
    runtime = runtimeAt(place.database.url, place.env.SECRET ?? '')
    workspace = await newWorkspace({ url: nodes[0].url, runtime })
  })

  afterAll(async () => {
    await runtime?.engine.close()
  })

  /** The same token at both. */
  const atBoth = ({ token }: Api): [Api, Api] => [apiAt(nodes[0].url, token), apiAt(nodes[1].url, token)]

  it('count requests together: a limit holds across both', async () => {
    const both = atBoth(await workspace.token())
    const answers = await Promise.all(
      Array.from({ length: 80 }, (_, index) =>
        both[index % 2 === 0 ? 0 : 1].post('/companies', { name: `Number ${index}` }),
      ),
    )
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(60)
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(20)
  })

  it('complete a task that repeats: it is followed by one task, whichever of them is faster', async () => {
    const { slug, owner, api } = await newWorkspace({ url: nodes[0].url, runtime })
    const both = atBoth(api)
    let { id } = (await api.post('/tasks', { title: 'Report' })).body.data
    await replaceRepeat(await enterAsMember(runtime, slug, owner.id), id, { unit: 'day' })
    for (let round = 1; round <= ROUNDS; round++) {
      const done = { custom_fields: { status: 'Done' } }
      const answers = await Promise.all([...both, ...both].map((node) => node.patch(`/tasks/${id}`, done)))
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
      const { body } = await api.get('/tasks?sort=-created_at')
      expect(body.meta.total).toBe(round + 1)
      id = body.data[0].id
    }
  })

  it('serialise writes that claim one external id', async () => {
    const own = await newWorkspace({ url: nodes[0].url, runtime })
    const match = { field: 'external_ids.crm', value: 'one' }
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, index) => {
        const node = atBoth(own.api)[index % 2 === 0 ? 0 : 1]
        if (index % 3 === 0) return node.post('/companies', { name: 'Made', external_ids: { crm: 'one' } })
        return node.post('/companies/upsert', { match, name: `Number ${index}` })
      }),
    )
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
    for (const { status } of answers) expect([200, 201, 422]).toContain(status)
    expect((await own.api.get('/companies')).body.meta.total).toBe(1)
  })

  it('know at once of a revoked token, a changed role and a new field', async () => {
    const token = await workspace.token()
    const both = atBoth(token)
    for (const node of both) expect((await node.get('/user')).status).toBe(200)
    await workspace.revoke(token.id)
    for (const node of both) expect((await node.get('/user')).status).toBe(401)

    const person = await workspace.member('member')
    const theirs = atBoth(await workspace.token({ user: person }))
    expect((await theirs[0].post('/companies', { name: 'Allowed' })).status).toBe(201)
    await workspace.setRole(person, 'viewer')
    for (const node of theirs) expect((await node.post('/companies', { name: 'Not any more' })).status).toBe(403)

    const fields = atBoth(await workspace.token())
    for (const node of fields)
      expect((await node.post('/people', { name: 'Ada', custom_fields: { shoe_size: 38 } })).status).toBe(422)
    await workspace.field('people', { name: 'Shoe size', type: 'number' })
    for (const node of fields)
      expect((await node.post('/people', { name: 'Ada', custom_fields: { shoe_size: 38 } })).status).toBe(201)
  })

  it('make one record of upserts of one value that reach both at once', async () => {
    const tokens = await Promise.all([workspace.token(), workspace.token()])
    const callers = tokens.flatMap(atBoth)
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        callers[index % 4]?.post('/companies/upsert', {
          name: `Name ${index}`,
          match: { field: 'domains', value: 'one.example' },
        }),
      ),
    )
    expect(answers.filter((answer) => answer?.status === 201)).toHaveLength(1)
    expect(answers.filter((answer) => answer?.status === 200)).toHaveLength(39)
    expect(new Set(answers.map((answer) => answer?.body.data.id)).size).toBe(1)
  })

  it('make one record of creates of one unique value that reach both at once', async () => {
    const both = atBoth(await workspace.token())
    const body = { name: 'Ada', custom_fields: { emails: ['ada@example.com'] } }
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => both[index % 2 ? 1 : 0].post('/people', body)),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array.from({ length: 19 }, () => 422)])
  })

  it('of requests with one key at two processes at the same time one takes effect, and all get its response', async () => {
    const own = await newWorkspace({ url: nodes[0].url, runtime })
    const both = atBoth(own.api)
    for (let round = 0; round < ROUNDS; round++) {
      const key = `create ${round}`
      await expectOneEffect(
        Array.from({ length: 6 }, (_, index) => both[index % 2 ? 1 : 0].post('/companies', { name: key }, keyed(key))),
      )
    }
    expect((await both[0].get('/companies')).body.meta.total).toBe(ROUNDS)
  })

  it('a request waits for one at another process up to 10 s, then it is 409', async () => {
    const own = await newWorkspace({ url: nodes[0].url, runtime })
    const both = atBoth(own.api)
    const { id } = (await both[0].post('/companies', { name: 'One' })).body.data
    const put = (api: Api) => api.put(`/companies/${id}`, { name: 'Two' }, keyed('put'))
    const release = await lockCompany(runtime.engine, own.id, id)
    onTestFinished(release)
    const puts = both.map(async (node) => ({ node, answer: await put(node) }))
    // The one with the key waits for the company. Either may have it: a write that fails in a group starts again.
    const refused = await Promise.race(puts)
    expect([refused.answer.status, refused.answer.headers.get('retry-after')]).toEqual([409, '1'])
    const waiting = put(refused.node)
    await new Promise((resolve) => setTimeout(resolve, 200))
    await release()
    const done = (await Promise.all(puts)).find((one) => one !== refused)?.answer
    const replayed = await waiting
    expect([done?.status, replayed.text]).toEqual([200, done?.text])
    expect(replayed.headers.get('idempotent-replayed')).toBe('true')
  })
})

const WRITERS = inRun({ short: 2, long: 8 })

describe('behind a proxy', () => {
  let place: Installation
  let runtime: ReturnType<typeof runtimeAt>
  let workspace: TestWorkspace
  let proxy: Awaited<ReturnType<typeof startProxy>>
  const nodes: Service[] = []
  const startNode = () => place.start({ DRAIN_SECONDS: '1' })

  beforeAll(async () => {
    place = await installation('postgres')
    nodes.push(await startNode(), await startNode())
    runtime = runtimeAt(place.database.url, place.env.SECRET ?? '')
    workspace = await newWorkspace({ url: nodes[0]?.url ?? '', runtime })
    proxy = await startProxy(nodes.map((node) => node.url))
  })

  afterAll(async () => {
    await runtime?.engine.close()
    await proxy?.stop()
  })

  it('a rolling restart fails no request', async () => {
    const ledger = newLedger()
    let going = true
    let failures = 0
    const api = apiAt(proxy.url, workspace.api.token)
    const writers = Array.from({ length: WRITERS }, (_, writer) => writeOn(api, ledger, writer, () => going))
    const reader = (async () => {
      while (going) if ((await api.get('/companies?per_page=5')).status !== 200) failures++
    })()
    for (const [index, old] of [...nodes].entries()) {
      await reached(() => ledger.answered >= (index + 1) * 40)
      expect(await old.stop()).toBe(0)
      const fresh = await startNode()
      nodes[index] = fresh
      proxy.replace(old.url, fresh.url)
    }
    const then = ledger.answered
    await reached(() => ledger.answered >= then + 40)
    going = false
    await Promise.all([...writers, reader])
    expect({ wrong: ledger.wrong, refused: ledger.refused, open: [...ledger.openCreations], failures }).toEqual({
      wrong: [],
      refused: 0,
      open: [],
      failures: 0,
    })
    await checkLedger(runtime, workspace, ledger)
    console.log(`rolling restart of two nodes: ${ledger.answered} answered writes, no failed request`)
  })

  it('one of two nodes killed: every answered write is there', async () => {
    const own = await newWorkspace({ url: nodes[0]?.url ?? '', runtime })
    const ledger = newLedger()
    let going = true
    const api = apiAt(proxy.url, own.api.token)
    const writers = Array.from({ length: WRITERS }, (_, writer) => writeOn(api, ledger, writer, () => going))
    await reached(() => ledger.answered >= 60)
    const [victim] = nodes
    const gone = once(victim?.process ?? process, 'exit')
    victim?.process.kill('SIGKILL')
    await gone
    const then = ledger.answered
    await reached(() => ledger.answered >= then + 60)
    going = false
    await Promise.all(writers)
    // A request that was on its way to the node that died was lost with it, and its client knows: 502.
    expect(ledger.wrong.filter((text) => !text.startsWith('502'))).toEqual([])
    await checkLedger(runtime, own, ledger)
  })
})

async function reached(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 5))
}
