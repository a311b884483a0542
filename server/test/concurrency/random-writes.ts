import type { Chance } from '../../src/sample/chance.ts'
import type { Answered } from '../api.ts'
import type { Asked, Method } from './caller.ts'
import type { Deed } from './history.ts'
import type { RandomRun, RunType } from './world.ts'

/** One step of a client. It picks what it needs at random, and may be refused. */
export type Step = (run: RandomRun, chance: Chance) => Promise<void>

/** Enough to be related in many ways, and few enough that clients meet at the same ones and a list has one page. */
const LIVE_MAX = 40
const labels = { companies: 'name', people: 'name', opportunities: 'name', tasks: 'title' } as const

export const createOne: Step = async (run, chance) => {
  const type = chance.pick<RunType>(['companies', 'companies', 'people', 'people', 'tasks', 'opportunities'])
  if (run.pool.live[type].length >= LIVE_MAX) return deleteOne(run, chance)
  const token = run.newText()
  const { links, body } = contents(run, chance, type, token)
  const deed: Deed = { kind: 'create', type, token, ...links }
  keep(run, type, await rest(run, chance, deed, ['POST', `/${type}`, body]))
}

/** The second member, whose role changes all the time. */
export const createAsWorker: Step = async (run, chance) => {
  const token = run.newText()
  const asked: Asked = { ...to(chance, 'POST', '/companies', { name: token }), token: run.workerToken }
  keep(run, 'companies', await run.call({ kind: 'create', type: 'companies', token }, asked))
}

export const updateOne: Step = async (run, chance) => {
  const type = chance.pick<RunType>(['companies', 'companies', 'people', 'people', 'tasks', 'tasks', 'opportunities'])
  const id = someLive(run, chance, type)
  if (id === undefined) return
  const token = run.newText()
  const { links, body } = contents(run, chance, type, token)
  const deed: Deed = { kind: 'update', type, id, token, ...links }
  await rest(run, chance, deed, [chance.pick<Method>(['PUT', 'PATCH']), `/${type}/${id}`, body])
}

/** An update that changes nothing moves no time and writes no entry. */
export const changeNothing: Step = async (run, chance) => {
  const id = someLive(run, chance, 'companies')
  if (id === undefined) return
  await rest(run, chance, { kind: 'no change', type: 'companies', id }, ['PATCH', `/companies/${id}`, {}])
}

export const deleteOne: Step = async (run, chance) => {
  const type = chance.pick<RunType>(['companies', 'people', 'people', 'tasks'])
  const id = someLive(run, chance, type)
  if (id === undefined || run.hubs.includes(id)) return
  const { status } = await rest(run, chance, { kind: 'delete', type, id }, ['DELETE', `/${type}/${id}`])
  if (status === 204) leave(run, type, id)
}

export const upsertOne: Step = async (run, chance) => {
  const token = run.newText()
  const byDomain = { field: 'domains', value: someDomain(chance) }
  const match = chance.oneIn(2) ? byDomain : { field: 'external_ids.crm', value: someId(chance) }
  const body = { match, name: token }
  const deed: Deed = { kind: 'upsert', type: 'companies', token }
  keep(run, 'companies', await rest(run, chance, deed, ['POST', '/companies/upsert', body]))
}

export const restoreOne: Step = async (run, chance) => {
  const { deleted } = run.pool
  if (deleted.length === 0) return
  const { type, id } = chance.pick(deleted)
  const deed: Deed = { kind: 'restore', type, id }
  const { status } = chance.oneIn(2)
    ? await rest(run, chance, deed, ['PUT', `/${type}/${id}/restore`])
    : await run.call(deed, to(chance, 'PUT', `/v1/${type}/${id}/restore`))
  if (status === 200) come(run, type, id)
}

export const mergeTwo: Step = async (run, chance) => {
  const type = chance.pick<RunType>(['companies', 'companies', 'companies', 'people', 'tasks'])
  const [winner, loser] = [someLive(run, chance, type), someLive(run, chance, type)]
  if (!winner || !loser || winner === loser || run.hubs.includes(loser)) return
  const chosen = type === 'companies' && chance.oneIn(2)
  const attributes = chosen ? { attributes: { custom_fields: { domains: [someDomain(chance)] } } } : {}
  const body = { loser_ids: [loser], ...attributes }
  const deed: Deed = { kind: 'merge', type, winner, loser }
  const answer = chance.oneIn(2)
    ? await rest(run, chance, deed, ['PUT', `/${type}/${winner}/merge`, body])
    : await run.call(deed, to(chance, 'PUT', `/v1/${type}/${winner}/merge`, body))
  if (answer.status !== 200) return
  leave(run, type, loser)
  run.pool.merges.push({ id: answer.body.meta.merge_id, type, winner, loser })
}

export const undoOne: Step = async (run, chance) => {
  const { merges } = run.pool
  if (merges.length === 0) return
  const { id, type, winner, loser } = chance.pick(merges)
  const path = `/merges/${id}/undo`
  const deed: Deed = { kind: 'undo', type, winner, loser }
  const { status } = chance.oneIn(2)
    ? await rest(run, chance, deed, ['PUT', path])
    : await run.call(deed, to(chance, 'PUT', `/v1${path}`))
  if (status !== 200) return
  run.pool.merges = run.pool.merges.filter((merge) => merge.id !== id)
  come(run, type, loser)
}

/** A change of something else than the label, which can be undone: no other call may write that label. */
export const changeTier: Step = async (run, chance) => {
  const id = someLive(run, chance, 'companies')
  if (id === undefined) return
  const body = { custom_fields: { tier: chance.oneIn(3) ? null : chance.pick(run.pool.tiers) } }
  await rest(run, chance, { kind: 'values', type: 'companies', id }, ['PATCH', `/companies/${id}`, body])
}

/** Undoes the last change of a record: its creation, its deletion, its return, or a change of its values. */
export const undoChange: Step = async (run, chance) => {
  const { deleted, live } = run.pool
  const type = chance.pick<RunType>(['companies', 'companies', 'people', 'tasks'])
  const [one] = chance.oneIn(2) && deleted.length > 0 ? [chance.pick(deleted)] : []
  const named = one ?? { type, id: chance.oneIn(2) ? live[type].at(-1) : someLive(run, chance, type) }
  const { id } = named
  if (id === undefined || run.hubs.includes(id)) return
  const { body } = await run.ask({ ...to(chance, 'GET', `/${named.type}/${id}/history?per_page=1`), token: run.token })
  const [entry] = body?.data ?? []
  const does = effectOf(entry?.attributes)
  if (!does) return
  const deed: Deed = { kind: 'undo change', type: named.type, id, does }
  const { status } = await rest(run, chance, deed, ['PUT', `/changes/${entry.id}/undo`])
  if (status === 204) leave(run, named.type, id)
  if (status === 200) come(run, named.type, id)
}

function effectOf(entry?: { action: string; changes: { field: string }[] }) {
  if (entry?.action === 'create' || entry?.action === 'restore') return 'delete'
  if (entry?.action === 'delete') return 'restore'
  const isLabel = entry?.changes.some(({ field }) => field === 'name' || field === 'title')
  return entry?.action === 'update' && !isLabel ? 'values' : undefined
}

/** What a record is written with. Every write gives it a new label. */
function contents(run: RandomRun, chance: Chance, type: RunType, token: string) {
  const body: Record<string, unknown> = { [labels[type]]: token }
  const company = () => (chance.oneIn(3) ? chance.pick(run.hubs) : someLive(run, chance, 'companies'))
  if (type === 'companies') body.custom_fields = someValues(run, chance, token)
  if (type === 'companies' && chance.oneIn(2)) body.external_ids = { crm: chance.oneIn(3) ? [] : [someId(chance)] }
  if (type === 'opportunities') body.contact_id = someLive(run, chance, 'people') ?? null
  if (type === 'people' || type === 'opportunities') {
    if (chance.oneIn(3)) body.company_id = null
    else body.company_id = company() ?? null
  }
  if (type !== 'tasks') return { body, links: {} }
  const ids = chance.oneIn(3) ? [] : [...new Set([company(), company()])].filter((id) => id !== undefined)
  return { body: { ...body, company_ids: ids }, links: { links: ids } }
}

function someValues(run: RandomRun, chance: Chance, token: string): Record<string, unknown> {
  return {
    code: token,
    ...(chance.oneIn(2) ? { domains: chance.oneIn(3) ? [] : [someDomain(chance)] } : {}),
    ...(chance.oneIn(2) ? { tier: chance.oneIn(3) ? null : chance.pick(run.pool.tiers) } : {}),
    ...(chance.oneIn(3) ? { serial: `s${chance.below(12)}` } : {}),
  }
}

const someId = (chance: Chance) => `c${chance.below(16)}`

const someDomain = (chance: Chance) => `d${chance.below(16)}.example`

function someLive({ pool }: RandomRun, chance: Chance, type: RunType): string | undefined {
  // The newest are the ones that others are busy with.
  const ids = pool.live[type].slice(chance.oneIn(2) ? -6 : 0)
  return ids.length === 0 ? undefined : chance.pick(ids)
}

export function to(chance: Chance, method: Method, path: string, body?: unknown): Asked {
  return { node: chance.below(2), method, path, ...(body === undefined ? {} : { body }) }
}

type Sent = [method: Method, path: string, body?: unknown]

export function rest(run: RandomRun, chance: Chance, deed: Deed, sent: Sent): Promise<Answered> {
  const asked: Asked = { ...to(chance, ...sent), token: run.token, inBatch: chance.oneIn(4) }
  return run.call(deed, { ...asked, headers: conditions(run, chance, { deed, method: asked.method }) })
}

/** Some writes are sent twice with one key, and some expect a version of the record. */
function conditions(
  run: RandomRun,
  chance: Chance,
  { deed, method }: { deed: Deed; method: Method },
): Record<string, string> {
  if (method === 'GET') return {}
  const id = 'id' in deed && deed.kind !== 'undo change' ? deed.id : deed.kind === 'merge' ? deed.winner : undefined
  return {
    ...(chance.oneIn(4) ? { 'Idempotency-Key': run.newText() } : {}),
    ...(id !== undefined && chance.oneIn(3) ? { 'If-Match': someTag(run, chance, id) } : {}),
  }
}

/** Any version, the last one that a client has seen, or an earlier one. Only the time before the `~` counts. */
function someTag({ pool }: RandomRun, chance: Chance, id: string): string {
  const seen = pool.versions.get(id) ?? []
  const last = seen.at(-1)
  if (last === undefined || chance.oneIn(3)) return '*'
  const time = chance.oneIn(4) ? chance.pick(seen) : last
  return chance.oneIn(2) ? `"${time}"` : `"2026-01-01T00:00:00.000Z", "${time}~0123456789abcdef"`
}

function keep(run: RandomRun, type: RunType, { status, body }: Answered): void {
  if (status === 201) run.pool.live[type].push(body.data.id)
}

function leave({ pool }: RandomRun, type: RunType, id: string): void {
  pool.live[type] = pool.live[type].filter((one) => one !== id)
  pool.deleted.push({ type, id })
}

function come({ pool }: RandomRun, type: RunType, id: string): void {
  pool.deleted = pool.deleted.filter((one) => one.id !== id)
  if (!pool.live[type].includes(id)) pool.live[type].push(id)
}
