import { fieldTypes } from '@kith/contract/field-types'
import type { ResourceName } from '@kith/contract/resource'
import { describe, expect, it } from 'vitest'
import { startingFieldsOf } from '../../../src/fields/definitions.ts'
import type { Answered, Api } from '../../api.ts'
import { eachTested, errorsOf, follow, idsOf, numberedBodies, pagesFrom, type Stocked, stock } from '../../lists.ts'
import { declared, workspaceWithOwn } from '../../own-resource.ts'
import { isLong } from '../../run-length.ts'

const AT = '2026-03-01T12:00:00.000Z'
const LATER = '2026-03-01T12:00:00.001Z'

/** Ten records on pages of so many. */
const pageSizes: readonly (readonly [per_page: number, sizes: readonly number[]])[] = [
  [3, [3, 3, 3, 1]],
  [5, [5, 5]],
  [100, [10]],
]

/** Ten records of which many share a moment, or a name in any letter case. */
function withTies(type: ResourceName): Stocked[] {
  const { label } = declared(type)
  const names = ['b', 'A', 'a', 'B', 'a', 'c', 'A', 'b', 'a', 'C']
  return names.map((name, index) => ({ [label]: name, at: index < 6 ? AT : LATER }))
}

function sortsOf(type: ResourceName): string[] {
  const names = [declared(type).label, 'created_at', 'updated_at']
  const single = names.flatMap((name) => [name, `-${name}`])
  return ['', ...single, `${names[0]},-created_at`, `-created_at,-${names[0]}`]
}

/** Sends one page after the other by `meta.next_cursor`, or back by `meta.prev_cursor`, until there is none. */
async function scan(api: Api, path: string, way: 'next' | 'prev' = 'next', start = 'true'): Promise<Answered[]> {
  const answers: Answered[] = []
  for (let cursor: string | null = start; cursor !== null; ) {
    const answer = await api.get(`${path}&cursor=${encodeURIComponent(cursor)}`)
    expect(answer.status, answer.text).toBe(200)
    answers.push(answer)
    cursor = answer.body.meta[`${way}_cursor`]
  }
  return answers
}

describe.each(eachTested)('cursor pagination of %s', (type, { label }) => {
  it('send true for the first page, then the meta.next_cursor value of the previous page; ties included', async () => {
    const workspace = await workspaceWithOwn()
    const { api } = workspace
    await stock(workspace, type, withTies(type))
    for (const sort of sortsOf(type)) {
      const whole = idsOf(await api.get(`/${type}?per_page=100&sort=${sort}`))
      expect(whole).toHaveLength(10)
      // Where pages end does not depend on the order.
      for (const [per_page, sizes] of isLong || sort === '' ? pageSizes : pageSizes.slice(0, 1)) {
        const path = `/${type}?per_page=${per_page}&sort=${sort}`
        const answers = await scan(api, path)
        expect(answers.map((answer) => answer.body.data.length)).toEqual(sizes)
        expect(answers.flatMap(idsOf), path).toEqual(whole)
      }
    }
  })

  it('meta is path, per_page, next_cursor, prev_cursor only; links.first and links.last are null', async () => {
    const workspace = await workspaceWithOwn()
    const { api } = workspace
    await stock(workspace, type, numberedBodies(type, 5))
    const path = `${api.base}/${type}`
    const [first, middle, last, ...none] = await scan(api, `/${type}?per_page=2`)
    expect(none).toEqual([])
    const cursor = expect.stringMatching(/^[\w-]+$/)
    for (const [answer, prev, next] of [
      [first, null, cursor],
      [middle, cursor, cursor],
      [last, cursor, null],
    ]) {
      const { links, meta } = answer.body
      expect(Object.keys(answer.body).sort()).toEqual(['data', 'links', 'meta'])
      expect(meta).toEqual({ path, per_page: 2, next_cursor: next, prev_cursor: prev })
      const at = (value: string | null) => value && `${path}?per_page=2&cursor=${value}`
      expect(links).toEqual({ first: null, last: null, prev: at(meta.prev_cursor), next: at(meta.next_cursor) })
    }
    const { body: empty } = await api.get(`/${type}?cursor=true&filter[${label}][$eq]=nobody`)
    expect(empty.data).toEqual([])
    expect(empty.meta).toEqual({ path, per_page: 15, next_cursor: null, prev_cursor: null })
    expect(empty.links).toEqual({ first: null, last: null, prev: null, next: null })
  })

  it('prev_cursor leads back over the same pages', async () => {
    const workspace = await workspaceWithOwn()
    const { api } = workspace
    await stock(workspace, type, withTies(type))
    for (const sort of sortsOf(type)) {
      const path = `/${type}?per_page=3&sort=${sort}`
      const onwards = await scan(api, path)
      const back = await scan(api, path, 'prev', onwards.at(-1)?.body.meta.prev_cursor)
      expect(back.map(idsOf), sort).toEqual(onwards.slice(0, -1).reverse().map(idsOf))
      expect(back.at(-1)?.body.meta.prev_cursor).toBeNull()
      const again = await scan(api, path, 'next', back.at(-1)?.body.meta.next_cursor)
      expect(again.map(idsOf), sort).toEqual(onwards.slice(1).map(idsOf))
      const turned = await follow(api, onwards[1]?.body.links.prev)
      expect(idsOf(turned)).toEqual(onwards[0] && idsOf(onwards[0]))
    }
  })

  it('a cursor is bound to the sort, the filter, the resource and the workspace', async () => {
    const workspace = await workspaceWithOwn()
    const other = await workspaceWithOwn()
    const { api } = workspace
    await stock(workspace, type, withTies(type))
    const filter = `filter[${label}][$contains]=a`
    const next = async (query: string) =>
      (await api.get(`/${type}?per_page=1&cursor=true${query}`)).body.meta.next_cursor
    const plain = await next('')
    const filtered = await next(`&${filter}`)
    const sorted = await next(`&sort=${label}`)
    const elsewhere = type === 'people' ? 'companies' : 'people'
    for (const asking of [
      api.get(`/${type}?cursor=${plain}&sort=${label}`),
      api.get(`/${type}?cursor=${plain}&sort=created_at`),
      api.get(`/${type}?cursor=${plain}&${filter}`),
      api.get(`/${type}?cursor=${sorted}`),
      api.get(`/${type}?cursor=${sorted}&sort=-${label}`),
      api.get(`/${type}?cursor=${sorted}&sort=${label},created_at`),
      api.get(`/${type}?cursor=${filtered}`),
      api.get(`/${type}?cursor=${filtered}&filter[${label}][$contains]=b`),
      api.get(`/${type}?cursor=${filtered}&filter[${label}][$eq]=a`),
      api.get(`/${type}?cursor=${filtered}&filter[$not][${label}][$contains]=a`),
      api.get(`/${elsewhere}?cursor=${plain}`),
      other.api.get(`/${type}?cursor=${plain}`),
      api.post(`/${type}/query`, { cursor: plain, sort: label }),
    ]) {
      const errors = await errorsOf(asking)
      expect(Object.keys(errors)).toEqual(['cursor'])
    }
    // Neither the size of a page nor what is shown of a record is part of the list.
    const free = `cursor=${filtered}&per_page=2&include=creator&fields=${label}&${filter}&sort=-created_at`
    expect((await api.get(`/${type}?${free}`)).status).toBe(200)
  })

  it('any other value: 422 on cursor', async () => {
    const workspace = await workspaceWithOwn()
    const { api } = workspace
    await stock(workspace, type, numberedBodies(type, 3))
    const good: string = (await api.get(`/${type}?per_page=1&cursor=true`)).body.meta.next_cursor
    const flipped = [0, 1, 10, 40, good.length - 23, good.length - 22, good.length - 1].map((place) => {
      const letter = good[place] === 'A' ? 'B' : 'A'
      return good.slice(0, place) + letter + good.slice(place + 1)
    })
    const forged = Buffer.from(JSON.stringify([0, '0'.repeat(26), AT])).toString('base64url')
    const cut = [
      good.slice(1),
      good.slice(0, -1),
      good.slice(0, 22),
      good.slice(-22),
      `${good}A`,
      `${good}=`,
      good + good,
    ]
    const words = ['True', 'TRUE', '1', 'false', 'null', '0', ' ', 'x', '名', '../../', `${good} `, 'a'.repeat(5000)]
    for (const cursor of [...flipped, ...cut, forged, forged + good.slice(-22), ...words]) {
      const errors = await errorsOf(api.get(`/${type}?cursor=${encodeURIComponent(cursor)}`))
      expect(Object.keys(errors), cursor).toEqual(['cursor'])
    }
    for (const cursor of [false, 0, 1, [good], { cursor: good }]) {
      expect(Object.keys(await errorsOf(api.post(`/${type}/query`, { cursor })))).toEqual(['cursor'])
    }
    expect(Object.keys(await errorsOf(api.get(`/${type}?cursor[]=${good}`)))).toEqual(['cursor'])
    expect((await api.get(`/${type}?cursor=${good}`)).status).toBe(200)
  })

  it('page with cursor: 422 on page; all problems are gathered into one 422', async () => {
    const { api } = await workspaceWithOwn()
    expect(Object.keys(await errorsOf(api.get(`/${type}?cursor=true&page=1`)))).toEqual(['page'])
    expect(Object.keys(await errorsOf(api.get(`/${type}?cursor=true&page=2`)))).toEqual(['page'])
    expect(Object.keys(await errorsOf(api.post(`/${type}/query`, { cursor: true, page: 1 })))).toEqual(['page'])
    expect((await api.get(`/${type}?cursor=true&page=`)).status).toBe(200)
    expect((await api.post(`/${type}/query`, { cursor: true, page: null })).status).toBe(200)
    const all = await errorsOf(api.get(`/${type}?cursor=nonsense&page=1&per_page=0&include=nobody&fields=nothing`))
    expect(Object.keys(all).sort()).toEqual(['cursor', 'fields', 'include', 'page', 'per_page'])
    const sort = await errorsOf(api.get(`/${type}?cursor=true&sort=nothing&filter[nothing][$eq]=1`))
    expect(Object.keys(sort).sort()).toEqual(['filter.nothing', 'sort'])
  })

  it('an empty cursor counts as not sent', async () => {
    const { api } = await workspaceWithOwn()
    for (const answer of [
      await api.get(`/${type}?cursor=`),
      await api.post(`/${type}/query`, { cursor: '' }),
      await api.post(`/${type}/query`, { cursor: null }),
    ]) {
      expect(answer.body.meta).toMatchObject({ current_page: 1, total: 0 })
      expect(answer.body.meta).not.toHaveProperty('next_cursor')
    }
  })
})

describe.each(eachTested)('scanning a list of %s by cursor while records are written', (type, { label }) => {
  const sorts = ['', 'created_at', '-created_at', label, `-${label}`, `${label},-created_at`]

  it.each(sorts)('shows every record that existed throughout exactly once: sort=%s', async (sort) => {
    const workspace = await workspaceWithOwn()
    const { api } = workspace
    const ids = await stock(workspace, type, [...withTies(type), ...withTies(type), ...withTies(type)])
    const doomed = new Set<string>()
    const shown: string[] = []
    let url = `${api.base}/${type}?cursor=true&per_page=6&sort=${sort}`
    for (let turn = 0; url !== null; turn++) {
      const answer = await follow(api, url)
      shown.push(...idsOf(answer))
      url = answer.body.links.next
      // One that was just shown goes (the cursor is at it), one somewhere goes, one stays and changes, others come.
      const gone = [shown.at(-1), ids[(turn * 7) % ids.length]].filter((id) => id !== undefined && !doomed.has(id))
      for (const id of new Set(gone)) {
        doomed.add(id ?? '')
        expect((await api.delete(`/${type}/${id}`)).status).toBe(204)
      }
      const touched = ids.find((id) => !doomed.has(id) && !shown.includes(id))
      if (touched) expect((await api.put(`/${type}/${touched}`, changeOf(type))).status).toBe(200)
      await stock(workspace, type, [{ [label]: 'a', at: AT }, { [label]: 'B' }, { [label]: 'c', at: LATER }])
    }
    const throughout = ids.filter((id) => !doomed.has(id))
    expect(throughout.length).toBeGreaterThan(5)
    for (const id of throughout) expect(shown.filter((one) => one === id)).toEqual([id])
    expect(new Set(shown).size).toBe(shown.length)
    expect((await pagesFrom(api, `/${type}?cursor=true&sort=${sort}`)).flat()).toEqual(
      expect.arrayContaining(throughout),
    )
  })
})

/** A change of each resource that leaves its name alone, and names nobody. */
function changeOf(type: ResourceName): object {
  const plain = startingFieldsOf(type).filter((field) => fieldTypes[field.type].refersTo === undefined)
  const fields = plain.map(({ code, type, options = {} }) => {
    const choices = Object.keys(options).map((label) => ({ id: label, label, color: null }))
    return [code, fieldTypes[type].example({ options: choices }).value]
  })
  return { custom_fields: Object.fromEntries(fields.slice(-1)) }
}
