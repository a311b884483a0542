import type { Chance } from '../../src/sample/chance.ts'
import type { Answered } from '../api.ts'
import type { Asked, Method } from './caller.ts'
import type { Deed } from './history.ts'
import type { Storm, StormType } from './storm-world.ts'

/** One step of a client. It picks what it needs at random, and may be refused. */
export type Step = (storm: Storm, chance: Chance) => Promise<void>

/** Enough to be related in many ways, and few enough that clients meet at the same ones and a list has one page. */
const LIVE_MAX = 40
const labels = { companies: 'name', people: 'name', opportunities: 'name', tasks: 'title' } as const

export const createOne: Step = async (storm, chance) => {
  const type = chance.pick<StormType>(['companies', 'companies', 'people', 'people', 'tasks', 'opportunities'])
  if (storm.pool.live[type].length >= LIVE_MAX) return deleteOne(storm, chance)
  const token = storm.newText()
  const { links, body } = contents(storm, chance, type, token)
  const deed: Deed = { kind: 'create', type, token, ...links }
  keep(storm, type, await rest(storm, chance, deed, ['POST', `/${type}`, body]))
}

/** The second member, whose role changes all the time. */
export const createAsWorker: Step = async (storm, chance) => {
  const token = storm.newText()
  const asked: Asked = { ...to(chance, 'POST', '/companies', { name: token }), token: storm.workerToken }
  keep(storm, 'companies', await storm.call({ kind: 'create', type: 'companies', token }, asked))
}

export const updateOne: Step = async (storm, chance) => {
  const type = chance.pick<StormType>(['companies', 'companies', 'people', 'people', 'tasks', 'tasks', 'opportunities'])
  const id = someLive(storm, chance, type)
  if (id === undefined) return
  const token = storm.newText()
  const { links, body } = contents(storm, chance, type, token)
  const deed: Deed = { kind: 'update', type, id, token, ...links }
  await rest(storm, chance, deed, [chance.pick<Method>(['PUT', 'PATCH']), `/${type}/${id}`, body])
}

/** An update that changes nothing moves no time and writes no entry. */
export const changeNothing: Step = async (storm, chance) => {
  const id = someLive(storm, chance, 'companies')
  if (id === undefined) return
  await rest(storm, chance, { kind: 'no change', type: 'companies', id }, ['PATCH', `/companies/${id}`, {}])
}

export const deleteOne: Step = async (storm, chance) => {
  const type = chance.pick<StormType>(['companies', 'people', 'people', 'tasks'])
  const id = someLive(storm, chance, type)
  if (id === undefined || storm.hubs.includes(id)) return
  const { status } = await rest(storm, chance, { kind: 'delete', type, id }, ['DELETE', `/${type}/${id}`])
  if (status === 204) leave(storm, type, id)
}

export const upsertOne: Step = async (storm, chance) => {
  const token = storm.newText()
  const byDomain = { field: 'domains', value: someDomain(chance) }
  const match = chance.oneIn(2) ? byDomain : { field: 'external_ids.crm', value: someId(chance) }
  const body = { match, name: token }
  const deed: Deed = { kind: 'upsert', type: 'companies', token }
  keep(storm, 'companies', await rest(storm, chance, deed, ['POST', '/companies/upsert', body]))
}

export const restoreOne: Step = async (storm, chance) => {
  const { deleted } = storm.pool
  if (deleted.length === 0) return
  const { type, id } = chance.pick(deleted)
  const deed: Deed = { kind: 'restore', type, id }
  const { status } = chance.oneIn(2)
    ? await rest(storm, chance, deed, ['PUT', `/${type}/${id}/restore`])
    : await storm.call(deed, to(chance, 'PUT', `/v1/${type}/${id}/restore`))
  if (status === 200) come(storm, type, id)
}

export const mergeTwo: Step = async (storm, chance) => {
  const type = chance.pick<StormType>(['companies', 'companies', 'companies', 'people', 'tasks'])
  const [winner, loser] = [someLive(storm, chance, type), someLive(storm, chance, type)]
  if (!winner || !loser || winner === loser || storm.hubs.includes(loser)) return
  const chosen = type === 'companies' && chance.oneIn(2)
  const attributes = chosen ? { attributes: { custom_fields: { domains: [someDomain(chance)] } } } : {}
  const body = { loser_ids: [loser], ...attributes }
  const deed: Deed = { kind: 'merge', type, winner, loser }
  const answer = chance.oneIn(2)
    ? await rest(storm, chance, deed, ['PUT', `/${type}/${winner}/merge`, body])
    : await storm.call(deed, to(chance, 'PUT', `/v1/${type}/${winner}/merge`, body))
  if (answer.status !== 200) return
  leave(storm, type, loser)
  storm.pool.merges.push({ id: answer.body.meta.merge_id, type, winner, loser })
}

export const undoOne: Step = async (storm, chance) => {
  const { merges } = storm.pool
  if (merges.length === 0) return
  const { id, type, winner, loser } = chance.pick(merges)
  const path = `/merges/${id}/undo`
  const deed: Deed = { kind: 'undo', type, winner, loser }
  const { status } = chance.oneIn(2)
    ? await rest(storm, chance, deed, ['PUT', path])
    : await storm.call(deed, to(chance, 'PUT', `/v1${path}`))
  if (status !== 200) return
  storm.pool.merges = storm.pool.merges.filter((merge) => merge.id !== id)
  come(storm, type, loser)
}

/** What a record is written with. Every write gives it a new label. */
function contents(storm: Storm, chance: Chance, type: StormType, token: string) {
  const body: Record<string, unknown> = { [labels[type]]: token }
  const company = () => (chance.oneIn(3) ? chance.pick(storm.hubs) : someLive(storm, chance, 'companies'))
  if (type === 'companies') body.custom_fields = someValues(storm, chance, token)
  if (type === 'companies' && chance.oneIn(2)) body.external_ids = { crm: chance.oneIn(3) ? [] : [someId(chance)] }
  if (type === 'opportunities') body.contact_id = someLive(storm, chance, 'people') ?? null
  if (type === 'people' || type === 'opportunities') {
    if (chance.oneIn(3)) body.company_id = null
    else body.company_id = company() ?? null
  }
  if (type !== 'tasks') return { body, links: {} }
  const ids = chance.oneIn(3) ? [] : [...new Set([company(), company()])].filter((id) => id !== undefined)
  return { body: { ...body, company_ids: ids }, links: { links: ids } }
}

function someValues(storm: Storm, chance: Chance, token: string): Record<string, unknown> {
  return {
    code: token,
    ...(chance.oneIn(2) ? { domains: chance.oneIn(3) ? [] : [someDomain(chance)] } : {}),
    ...(chance.oneIn(2) ? { tier: chance.oneIn(3) ? null : chance.pick(storm.pool.tiers) } : {}),
    ...(chance.oneIn(3) ? { serial: `s${chance.below(12)}` } : {}),
  }
}

const someId = (chance: Chance) => `c${chance.below(16)}`

const someDomain = (chance: Chance) => `d${chance.below(16)}.example`

function someLive({ pool }: Storm, chance: Chance, type: StormType): string | undefined {
  // The newest are the ones that others are busy with.
  const ids = pool.live[type].slice(chance.oneIn(2) ? -6 : 0)
  return ids.length === 0 ? undefined : chance.pick(ids)
}

export function to(chance: Chance, method: Method, path: string, body?: unknown): Asked {
  return { node: chance.below(2), method, path, ...(body === undefined ? {} : { body }) }
}

type Sent = [method: Method, path: string, body?: unknown]

export function rest(storm: Storm, chance: Chance, deed: Deed, sent: Sent): Promise<Answered> {
  const asked: Asked = { ...to(chance, ...sent), token: storm.token, inBatch: chance.oneIn(4) }
  return storm.call(deed, { ...asked, headers: conditions(storm, chance, { deed, method: asked.method }) })
}

/** Some writes are sent twice with one key, and some expect a version of the record. */
function conditions(
  storm: Storm,
  chance: Chance,
  { deed, method }: { deed: Deed; method: Method },
): Record<string, string> {
  if (method === 'GET') return {}
  const id = 'id' in deed ? deed.id : deed.kind === 'merge' ? deed.winner : undefined
  return {
    ...(chance.oneIn(4) ? { 'Idempotency-Key': storm.newText() } : {}),
    ...(id !== undefined && chance.oneIn(3) ? { 'If-Match': someTag(storm, chance, id) } : {}),
  }
}

/** Any version, the last one that a client has seen, or an earlier one. Only the time before the `~` counts. */
function someTag({ pool }: Storm, chance: Chance, id: string): string {
  const seen = pool.versions.get(id) ?? []
  const last = seen.at(-1)
  if (last === undefined || chance.oneIn(3)) return '*'
  const time = chance.oneIn(4) ? chance.pick(seen) : last
  return chance.oneIn(2) ? `"${time}"` : `"2026-01-01T00:00:00.000Z", "${time}~0123456789abcdef"`
}

function keep(storm: Storm, type: StormType, { status, body }: Answered): void {
  if (status === 201) storm.pool.live[type].push(body.data.id)
}

function leave({ pool }: Storm, type: StormType, id: string): void {
  pool.live[type] = pool.live[type].filter((one) => one !== id)
  pool.deleted.push({ type, id })
}

function come({ pool }: Storm, type: StormType, id: string): void {
  pool.deleted = pool.deleted.filter((one) => one.id !== id)
  if (!pool.live[type].includes(id)) pool.live[type].push(id)
}
