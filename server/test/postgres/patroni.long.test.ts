import { randomBytes } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { type Answered, type Api, apiAt } from '../api.ts'
import { checkLedger } from '../faults/check-ledger.ts'
import { newLedger, writeOn } from '../faults/ledger.ts'
import { type Entry, readFeed } from '../feed.ts'
import { type Service, startService } from '../setup/service.ts'
import { whenFileEnds } from '../when-file-ends.ts'
import { newWorkspace, runtimeAt } from '../workspace.ts'
import { type Cluster, kill, startCluster } from './patroni-cluster.ts'
import { ask } from './server-pair.ts'

const WRITERS = 6

/** The events whose names match are tried. */
const ONLY = new RegExp(process.env.PATRONI_ONLY ?? '')

/** Before and after each event: some time of usual operation. */
const USUAL_MS = 5000

/** For a busy machine. The figures in docs/operate/failover.md are what is expected. */
const BACK_MS = 60_000

/** What happens to the cluster, in the words of the table in docs/operate/failover.md. */
const events: Readonly<Record<string, (cluster: Cluster) => Promise<void>>> = {
  'the primary is killed, and is back after 40 s': async ({ memberAs, pids, run }) => {
    const node = await memberAs('leader')
    kill(await pids(node))
    await setTimeout(40_000)
    await run('run', node)
  },
  'only PostgreSQL of the primary is killed': async ({ memberAs, pids, pidOf }) => {
    const node = await memberAs('leader')
    const patroni = pidOf(node)
    kill((await pids(node)).filter((pid) => pid !== patroni))
    await setTimeout(15_000)
  },
  switchover: async ({ control }) => {
    await control('switchover', 'kith')
    await setTimeout(10_000)
  },
  'the primary is restarted': async ({ control, memberAs }) => {
    await control('restart', 'kith', await memberAs('leader'))
  },
  'switchover, and the former primary is restarted': async ({ control, memberAs, whole }) => {
    const node = await memberAs('leader')
    await control('switchover', 'kith')
    await setTimeout(10_000)
    await whole()
    await control('restart', 'kith', node)
  },
  'the synchronous standby is restarted': async ({ control, memberAs }) => {
    await control('restart', 'kith', await memberAs('sync_standby'))
  },
  'the other standby is restarted': async ({ control, memberAs }) => {
    await control('restart', 'kith', await memberAs('replica'))
  },
  'the machine of the primary restarts within 20 s': async ({ memberAs, pidOf, pids, run }) => {
    const node = await memberAs('leader')
    process.kill(pidOf(node), 'SIGTERM')
    await setTimeout(20_000)
    while ((await pids(node)).length > 0) await setTimeout(500)
    await run('run', node)
  },
  'etcd is killed, and is back after 30 s': async ({ pidOf, run }) => {
    process.kill(pidOf('etcd'), 'SIGKILL')
    await setTimeout(30_000)
    await run('etcd')
  },
  'the network of the primary is cut for 45 s': async ({ memberAs, run }) => {
    const node = await memberAs('leader')
    await run('cut', node)
    await setTimeout(45_000)
    await run('join', node)
  },
  'the network of the synchronous standby is cut for 30 s': async ({ memberAs, run }) => {
    const node = await memberAs('sync_standby')
    await run('cut', node)
    await setTimeout(30_000)
    await run('join', node)
  },
}

it('Under Patroni, whatever happens to its servers, no acknowledged write is lost or doubled, and the feed has no gap', {
  timeout: 1_800_000,
}, async () => {
  const cluster = await startCluster()
  await cluster.whole()
  const secret = randomBytes(32).toString('hex')
  const noLimits = { RATE_LIMIT_WORKSPACE: '0', RATE_LIMIT_READS: '0', RATE_LIMIT_WRITES: '0', RATE_LIMIT_ITEMS: '0' }
  const start = (DATABASE_URL: string) => startService({ DATABASE_URL, SECRET: secret, ...noLimits })
  // One after the other: the first one makes the tables.
  const nodes: [Service, Service] = [await start(cluster.proxy), await start(cluster.servers)]
  for (const node of nodes) whenFileEnds(() => node.stop())
  const runtime = runtimeAt(cluster.proxy, secret)
  const workspace = await newWorkspace({ url: nodes[0].url, runtime })
  const probed = await newWorkspace({ url: nodes[0].url, runtime })
  await runtime.engine.close()
  const cursor = (await readFeed(workspace.api, 'cursor=now')).meta.next_cursor

  const ledger = newLedger()
  const outcomes: Outcomes = { refused: 0, unknown: 0, replayed: 0, wrong: [] }
  let going = true
  const isGoing = () => going
  const apis = nodes.map(({ url }) => settling(apiAt(url, workspace.api.token), outcomes))
  const writing = Array.from({ length: WRITERS }, (_, writer) => {
    return writeOn(apis[writer % apis.length] ?? workspace.api, ledger, writer, isGoing)
  })
  const times: [number[], number[]] = [[], []]
  const probing = nodes.map(({ url }, index) => probe(apiAt(url, probed.api.token), times[index] ?? [], isGoing))
  const seen: Entry[] = []
  const following = follow(apiAt(nodes[1].url, workspace.api.token), cursor, seen, isGoing)

  const rows: string[] = []
  for (const [name, happen] of Object.entries(events).filter(([name]) => ONLY.test(name))) {
    await setTimeout(USUAL_MS)
    const before = [ledger.answered, outcomes.refused, outcomes.unknown]
    const began = Date.now()
    await happen(cluster)
    await cluster.whole()
    await setTimeout(USUAL_MS)
    const pauses = times.map((all) => longestGap([began, ...all.filter((time) => time > began), Date.now()]))
    const after = [ledger.answered, outcomes.refused, outcomes.unknown]
    const counts = after.map((count, index) => count - (before[index] ?? 0))
    rows.push(`| ${[name, ...pauses.map((ms) => `${(ms / 1000).toFixed(1)} s`), ...counts].join(' | ')} |`)
    console.log(rows.at(-1))
    expect(Math.max(...pauses), name).toBeLessThan(BACK_MS)
  }
  going = false
  await Promise.all([...writing, ...probing, following])
  expect([...ledger.wrong, ...outcomes.wrong]).toEqual([])
  // Requests without any answer: no node of Kith was ever away.
  expect(ledger.unanswered).toEqual([])
  for (const node of nodes) expect(node.process.exitCode).toBeNull()
  const { unknown, replayed } = outcomes
  console.log(`${unknown} unknown outcomes, ${replayed} of them had been done\n${rows.join('\n')}`)

  // Followed while servers came and went, the feed has what it has when it is read at once.
  const whole: Entry[] = []
  await follow(workspace.api, cursor, whole, () => false)
  const ids = whole.map(({ id }) => id)
  expect(new Set(ids).size).toBe(ids.length)
  expect(seen.map(({ id }) => id)).toEqual(ids.slice(0, seen.length))
  const created = new Set(whole.filter(({ attributes }) => attributes.kind === 'created').map(recordOf))
  for (const { id, type } of ledger.entries.values()) expect(created, `${type} ${id}`).toContain(id)
  const after = runtimeAt(cluster.proxy, secret)
  await checkLedger(after, workspace, ledger)
  await after.engine.close()
  expect(await ask(cluster.proxy, 'select pg_is_in_recovery() as standby')).toEqual([{ standby: false }])
})

const recordOf = ({ attributes }: Entry) => attributes.record_id

/** How writes were answered besides those that were done. */
type Outcomes = {
  /** 503 with Retry-After: not done. */
  refused: number
  unknown: number
  /** Unknown, and done before the repetition with the key. */
  replayed: number
  /** Repetitions that got another answer than the first one. */
  wrong: string[]
}

/** Repeats a write with an unknown outcome until its key settles it, as clients do. */
function settling(api: Api, outcomes: Outcomes): Api {
  return {
    ...api,
    async send(...request) {
      const first = await api.send(...request)
      if (first.status !== 503) return first
      if (first.headers.get('Retry-After') !== null) {
        outcomes.refused++
        return first
      }
      outcomes.unknown++
      const settled = await repeat(api, request)
      if (isReplayed(settled)) outcomes.replayed++
      const again = await repeat(api, request)
      if (again.text !== settled.text || !isReplayed(again)) outcomes.wrong.push(`${settled.text}, then ${again.text}`)
      return settled
    },
  }
}

async function repeat(api: Api, request: Parameters<Api['send']>): Promise<Answered> {
  for (;;) {
    await setTimeout(200)
    const answer = await api.send(...request)
    if (answer.status !== 503) return answer
  }
}

function isReplayed({ headers }: Answered): boolean {
  return headers.get('Idempotent-Replayed') === 'true'
}

/** Creates companies one after the other, and keeps the times of the answers. */
async function probe(api: Api, times: number[], going: () => boolean): Promise<void> {
  while (going()) {
    const { status, text } = await api.post('/companies', { name: 'Probe' })
    expect([201, 503], text).toContain(status)
    if (status === 201) times.push(Date.now())
    await setTimeout(100)
  }
}

/** Follows the feed through all outages. */
async function follow(api: Api, from: unknown, seen: Entry[], going: () => boolean): Promise<void> {
  for (let cursor = from; ; ) {
    const ends = !going()
    const answer = await api.get(`/changes?cursor=${cursor}&limit=500`)
    if (answer.status === 503) {
      expect(Number(answer.headers.get('Retry-After'))).toBeGreaterThanOrEqual(1)
      await setTimeout(200)
    } else {
      expect(answer.status, answer.text).toBe(200)
      seen.push(...answer.body.data)
      cursor = answer.body.meta.next_cursor
      if (ends && !answer.body.meta.has_more) return
      await setTimeout(100)
    }
  }
}

function longestGap(times: readonly number[]): number {
  return Math.max(...times.slice(1).map((time, index) => time - (times[index] ?? time)))
}
