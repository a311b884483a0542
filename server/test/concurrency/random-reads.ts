import type { Asked } from './caller.ts'
import type { Deed } from './history.ts'
import { type ListQuery, listQueries } from './list-queries.ts'
import { rest, type Step } from './random-writes.ts'
import type { RunType } from './world.ts'

export const readOne: Step = async (run, chance) => {
  const type = chance.pick<RunType>(['companies', 'people', 'tasks', 'opportunities'])
  const ids = run.pool.live[type].slice(-8)
  if (ids.length === 0) return
  const id = chance.pick(ids)
  const include = type === 'tasks' ? '?include=companies' : ''
  await rest(run, chance, { kind: 'read', type, id }, ['GET', `/${type}/${id}${include}`])
}

/** The same list several times in a row from one process, which may have kept something of it from the time before. */
export const listSome: Step = async (run, chance) => {
  const all = listQueries(run)
  const query = chance.pick(chance.oneIn(2) ? all : all.filter(({ matches }) => matches))
  const per_page = chance.oneIn(3) ? 4 : 100
  const page = per_page === 4 ? 1 + chance.below(3) : 1
  const asked = askedFor(query, { page, per_page }, { node: chance.below(2), byBody: chance.oneIn(2) })
  const deed: Deed = { kind: 'list', type: query.type, query: query.name, page, per_page }
  for (let times = 0; times < LIST_TIMES; times++) await run.call(deed, { ...asked, token: run.token })
}

const LIST_TIMES = 4

type Paging = { page: number; per_page: number }

/** A list by query string, or the same by the body of a query. */
export function askedFor(
  { type, asks }: ListQuery,
  paging: Paging,
  { node, byBody }: { node: number; byBody: boolean },
): Asked {
  const body = { ...asks, ...paging }
  if (byBody) return { node, method: 'POST', path: `/${type}/query`, body }
  return { node, method: 'GET', path: `/${type}?${queryString(body)}` }
}

function queryString(parts: object, around = ''): string {
  return Object.entries(parts)
    .map(([name, value]) => {
      const key = around === '' ? name : `${around}[${name}]`
      if (Array.isArray(value)) return value.map((one) => `${key}[]=${encodeURIComponent(one)}`).join('&')
      return typeof value === 'object' ? queryString(value, key) : `${key}=${encodeURIComponent(value)}`
    })
    .join('&')
}

let scans = 0

/** Goes through a whole list by cursor while others write. */
export const scanThrough: Step = async (run, chance) => {
  const type = chance.pick<RunType>(['companies', 'people', 'tasks'])
  const label = type === 'tasks' ? 'title' : 'name'
  const sort = chance.pick(['created_at', '-created_at', label, `-${label}`, 'updated_at', '-updated_at'])
  const scan = `${++scans} by ${sort}`
  let cursor = 'true'
  for (let page = 1; page < 100; page++) {
    const path = `/${type}?sort=${sort}&per_page=${3 + chance.below(8)}&cursor=${cursor}`
    const { status, body } = await rest(run, chance, { kind: 'scan', type, scan, page }, ['GET', path])
    if (status !== 200 || body.meta.next_cursor === null) return
    cursor = body.meta.next_cursor
  }
}
