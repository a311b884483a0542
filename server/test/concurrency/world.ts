import { abilities } from '@kith/contract/abilities'
import type { BuiltInName } from '@kith/contract/resource'
import { addMember } from '../../src/accounts/members.ts'
import { createToken } from '../../src/accounts/tokens.ts'
import { enterAsMember } from '../../src/accounts/workspace.ts'
import { createField } from '../../src/schema/define.ts'
import type { Answered } from '../api.ts'
import { type Asked, callerOf } from './caller.ts'
import { type Call, type Deed, type History, shownBy } from './history.ts'
import { type Ground, openGround, type Place } from './place.ts'

export type RunType = Extract<BuiltInName, 'companies' | 'people' | 'opportunities' | 'tasks'>

/** What the clients believe to be there. They may be wrong: others change it at the same time. */
export type Pool = {
  live: Record<RunType, string[]>
  deleted: { type: RunType; id: string }[]
  merges: { id: string; type: RunType; winner: string; loser: string }[]
  tiers: string[]
  /** The times of change that answers have shown of each record, the latest last. */
  versions: Map<string, string[]>
}

/** The workspace in which a random run takes place. */
export type RandomRun = Ground & {
  place: Place
  workerToken: string
  /** Two companies that are there when the run begins, and to which filters refer. */
  hubs: readonly string[]
  pool: Pool
  history: History
  /** A text that no other call writes. */
  newText(): string
  /** Sends a request that is no part of the history. */
  ask(asked: Asked): Promise<Answered>
  /** Sends a request and writes it down. */
  call(deed: Deed, asked: Asked): Promise<Answered>
}

const TIERS = ['Tier 1', 'Tier 2', 'Tier 3']

export async function openRun(place: Place): Promise<RandomRun> {
  const ground = await openGround(place)
  await createField(ground.scope, 'companies', { name: 'Tier', type: 'select', options: TIERS })
  await createField(ground.scope, 'companies', { name: 'Code', type: 'text' })
  await createField(ground.scope, 'companies', { name: 'Serial', type: 'text' })
  await addMember(ground.scope, { email: place.worker.email, role: 'member' })
  const worker = await enterAsMember(place.runtime, ground.slug, place.worker.email)
  const workerToken = await createToken(worker, { name: 'worker', abilities, expires: 'never' })
  const history: History = { calls: [], problems: [] }
  const pool: Pool = {
    live: { companies: [], people: [], opportunities: [], tasks: [] },
    deleted: [],
    merges: [],
    tiers: [...TIERS],
    versions: new Map(),
  }
  let tokens = 0
  const run: RandomRun = {
    ...ground,
    place,
    workerToken: workerToken.token,
    hubs: [],
    pool,
    history,
    newText: () => `n${++tokens}`,
    ask: callerOf(place, ground.slug),
    call: recorded({ place, slug: ground.slug, pool, history }),
  }
  return { ...run, hubs: [await addHub(run), await addHub(run)] }
}

type Recording = { place: Place; slug: string; pool: Pool; history: History }

function recorded({ place, slug, pool, history: { calls } }: Recording): RandomRun['call'] {
  const send = callerOf(place, slug)
  return async (deed, asked) => {
    const start = performance.now()
    const answer = asked.headers?.['Idempotency-Key'] === undefined ? await send(asked) : await sendTwice(send, asked)
    const call: Call = { number: calls.length, deed, asked, answer, start, end: performance.now() }
    calls.push(call)
    for (const { id, attributes } of shownBy(call)) {
      const seen = pool.versions.get(id) ?? []
      if (!seen.includes(attributes.updated_at)) pool.versions.set(id, [...seen, attributes.updated_at].sort())
    }
    return answer
  }
}

/** The same request with the same key at two processes at the same time: it takes effect once. */
async function sendTwice(send: ReturnType<typeof callerOf>, asked: Asked): Promise<Answered> {
  const [one, other] = await Promise.all([send(asked), send({ ...asked, node: asked.node + 1 })])
  const done = [one, other].filter(({ status }) => status < 300)
  if (done.length === 2 && one.text !== other.text) {
    throw new Error(`A request took effect twice: ${JSON.stringify(asked)} ${one.text} ${other.text}`)
  }
  return done[0] ?? one
}

async function addHub(run: RandomRun): Promise<string> {
  const name = run.newText()
  const asked = { node: 0, method: 'POST', path: '/companies', body: { name }, token: run.token } as const
  const { body } = await run.call({ kind: 'create', type: 'companies', token: name }, asked)
  run.pool.live.companies.push(body.data.id)
  return body.data.id
}
