import type { Chance } from '../../src/sample/chance.ts'
import type { Method } from './caller.ts'
import { type ListQuery, listQueries } from './list-queries.ts'
import type { Storm, StormType } from './storm-world.ts'
import { rest, type Step } from './storm-writes.ts'

export const readOne: Step = async (storm, chance) => {
  const type = chance.pick<StormType>(['companies', 'people', 'tasks', 'opportunities'])
  const ids = storm.pool.live[type].slice(-8)
  if (ids.length === 0) return
  const id = chance.pick(ids)
  const include = type === 'tasks' ? '?include=companies' : ''
  await rest(storm, chance, { kind: 'read', type, id }, ['GET', `/${type}/${id}${include}`])
}

/** One of a few lists, so that the same list is asked for often and by several clients at once. */
export const listSome: Step = async (storm, chance) => {
  const query = chance.pick(listQueries(storm))
  const per_page = chance.oneIn(3) ? 4 : 100
  const page = per_page === 4 ? 1 + chance.below(3) : 1
  await list(storm, chance, query, { page, per_page })
}

type Paging = { page: number; per_page: number }

function list(storm: Storm, chance: Chance, { name, type, asks }: ListQuery, paging: Paging) {
  const body = { ...asks, ...paging }
  const [method, path, sent]: [Method, string, unknown?] = chance.oneIn(2)
    ? ['POST', `/${type}/query`, body]
    : ['GET', `/${type}?${queryString(body)}`]
  return rest(
    storm,
    chance,
    { kind: 'list', type, query: name, ...paging },
    sent ? [method, path, sent] : [method, path],
  )
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

let walks = 0

/** Goes through a whole list by cursor while others write. */
export const walkThrough: Step = async (storm, chance) => {
  const type = chance.pick<StormType>(['companies', 'people', 'tasks'])
  const label = type === 'tasks' ? 'title' : 'name'
  const sort = chance.pick(['created_at', '-created_at', label, `-${label}`, 'updated_at', '-updated_at'])
  const walk = `${++walks} by ${sort}`
  let cursor = 'true'
  for (let page = 1; page < 100; page++) {
    const path = `/${type}?sort=${sort}&per_page=${3 + chance.below(8)}&cursor=${cursor}`
    const { status, body } = await rest(storm, chance, { kind: 'walk', type, walk, page }, ['GET', path])
    if (status !== 200 || body.meta.next_cursor === null) return
    cursor = body.meta.next_cursor
  }
}
