import type { ResourceName } from '@kith/contract/resource'
import { beforeAll, describe, expect, it } from 'vitest'
import { eachTested, errorsOf, idsOf, numberedBodies, pagesFrom, stock } from '../../lists.ts'
import { workspaceWithOwn } from '../../own-resource.ts'
import type { TestWorkspace } from '../../workspace.ts'

const PREVIOUS = '&laquo; Previous'
const NEXT = 'Next &raquo;'

describe.each(eachTested)('pages of %s', (type, { label }) => {
  let empty: TestWorkspace
  beforeAll(async () => {
    empty = await workspaceWithOwn()
  })

  it('per_page is 1 to 100, default 15', async () => {
    const workspace = await workspaceWithOwn()
    const { api } = workspace
    await stock(workspace, type, numberedBodies(type, 101))
    for (const [query, shown, per_page] of [
      ['', 15, 15],
      ['?per_page=', 15, 15],
      ['?per_page=1', 1, 1],
      ['?per_page=100', 100, 100],
    ] as const) {
      const { body } = await api.get(`/${type}${query}`)
      expect(body.data).toHaveLength(shown)
      expect(body.meta).toMatchObject({
        per_page,
        from: 1,
        to: shown,
        total: 101,
        last_page: Math.ceil(101 / per_page),
      })
    }
  })

  it('page is 1 to 1,000,000, default 1', async () => {
    const workspace = await workspaceWithOwn()
    const { api } = workspace
    const ids = (await stock(workspace, type, numberedBodies(type, 3))).reverse()
    expect(idsOf(await api.get(`/${type}?per_page=2`))).toEqual(ids.slice(0, 2))
    expect(idsOf(await api.get(`/${type}?per_page=2&page=`))).toEqual(ids.slice(0, 2))
    expect(idsOf(await api.get(`/${type}?per_page=2&page=1`))).toEqual(ids.slice(0, 2))
    expect(idsOf(await api.get(`/${type}?per_page=2&page=2`))).toEqual(ids.slice(2))
    const last = await api.get(`/${type}?per_page=100&page=1000000`)
    expect(last.status).toBe(200)
    expect(last.body.data).toEqual([])
    expect(last.body.meta.current_page).toBe(1_000_000)
  })

  it.each([
    ['per_page=0', ['per_page']],
    ['per_page=101', ['per_page']],
    ['per_page=-1', ['per_page']],
    ['per_page=1.5', ['per_page']],
    ['per_page=1e1', ['per_page']],
    ['per_page=ten', ['per_page']],
    ['per_page=%205', ['per_page']],
    ['per_page[]=5', ['per_page']],
    ['per_page=99999999999999999999', ['per_page']],
    ['page=0', ['page']],
    ['page=1000001', ['page']],
    ['page=-1', ['page']],
    ['page=2.0', ['page']],
    ['page=last', ['page']],
    ['page[number]=2', ['page']],
    ['page=0&per_page=0', ['page', 'per_page']],
  ])('out of range is 422 on that name: %s', async (query, names) => {
    const errors = await errorsOf(empty.api.get(`/${type}?${query}`))
    expect(Object.keys(errors).sort()).toEqual(names)
    for (const name of names) expect(errors[name]?.[0]).toContain(name === 'page' ? '1 to 1,000,000' : '1 to 100')
  })

  it('the list response holds data, links and meta', async () => {
    const workspace = await workspaceWithOwn()
    const { api } = workspace
    const ids = (await stock(workspace, type, numberedBodies(type, 5))).reverse()
    const path = `${api.base}/${type}`
    const at = (page: number) => `${path}?per_page=2&page=${page}`
    const numbers = (active: number) =>
      [1, 2, 3].map((page) => ({ url: at(page), label: String(page), page, active: page === active }))
    const step = (label: string, page: number | null) => ({ url: page && at(page), label, page, active: false })
    const pages = [
      { from: 1, to: 2, prev: null, next: 2 },
      { from: 3, to: 4, prev: 1, next: 3 },
      { from: 5, to: 5, prev: 2, next: null },
    ]
    for (const [index, { from, to, prev, next }] of pages.entries()) {
      const page = index + 1
      const { body } = await api.get(`/${type}?per_page=2&page=${page}`)
      expect(Object.keys(body).sort()).toEqual(['data', 'links', 'meta'])
      expect(body.data.map((record: { id: string }) => record.id)).toEqual(ids.slice(from - 1, to))
      expect(body.links).toEqual({ first: at(1), last: at(3), prev: prev && at(prev), next: next && at(next) })
      expect(body.meta).toEqual({
        current_page: page,
        from,
        last_page: 3,
        links: [step(PREVIOUS, prev), ...numbers(page), step(NEXT, next)],
        path,
        per_page: 2,
        to,
        total: 5,
      })
    }
  })

  it('on an empty list: 200, data [], from and to null, last_page 1, current_page as asked', async () => {
    const { api } = empty
    const path = `${api.base}/${type}`
    for (const page of [1, 4]) {
      const { status, body } = await api.get(`/${type}?page=${page}`)
      expect(status).toBe(200)
      expect(body.data).toEqual([])
      expect(body.meta).toMatchObject({ current_page: page, from: null, to: null, last_page: 1, total: 0, path })
      expect(body.links).toMatchObject({ first: `${path}?page=1`, last: `${path}?page=1`, next: null })
    }
  })

  it('past the end: 200, data [], from and to null, current_page as asked', async () => {
    const workspace = await workspaceWithOwn()
    await stock(workspace, type, numberedBodies(type, 3))
    const { status, body } = await workspace.api.get(`/${type}?per_page=2&page=9`)
    expect(status).toBe(200)
    expect(body.data).toEqual([])
    const at = (page: number) => `${workspace.api.base}/${type}?per_page=2&page=${page}`
    expect(body.links).toEqual({ first: at(1), last: at(2), prev: at(8), next: null })
    expect(body.meta).toMatchObject({ current_page: 9, from: null, to: null, last_page: 2, total: 3, per_page: 2 })
    expect(body.meta.links.map((link: { active: boolean }) => link.active)).toEqual([false, false, false, false])
  })

  it('deleted records are in no list, and total does not count them', async () => {
    const workspace = await workspaceWithOwn()
    const { api } = workspace
    const [first = '', second = '', third = ''] = await stock(workspace, type, numberedBodies(type, 3))
    expect((await api.delete(`/${type}/${second}`)).status).toBe(204)
    const { body } = await api.get(`/${type}?per_page=1&page=2`)
    expect(body.meta).toMatchObject({ total: 2, last_page: 2, from: 2, to: 2 })
    expect((await pagesFrom(api, `/${type}?per_page=1`)).flat()).toEqual([third, first])
  })

  it('total counts what the filter lets through, on full pages, on the last one and past it', async () => {
    const workspace = await workspaceWithOwn()
    await stock(workspace, type, [
      ...numberedBodies(type, 5, { [label]: 'Wanted' }),
      ...numberedBodies(type, 4, { [label]: 'Other' }),
    ])
    for (const page of [1, 2, 3, 4]) {
      const { body } = await workspace.api.get(`/${type}?filter[${label}][$eq]=Wanted&per_page=2&page=${page}`)
      expect(body.meta).toMatchObject({ total: 5, last_page: 3, current_page: page })
    }
  })
})

describe('meta.links', () => {
  // The number of pages, the current one, and what is expected between Previous and Next.
  const cases: [number, number, string][] = [
    [1, 1, '1'],
    [13, 1, '1 2 3 4 5 6 7 8 9 10 11 12 13'],
    [13, 7, '1 2 3 4 5 6 7 8 9 10 11 12 13'],
    [13, 13, '1 2 3 4 5 6 7 8 9 10 11 12 13'],
    [14, 1, '1 2 3 4 5 6 7 8 9 10 ... 13 14'],
    [14, 7, '1 2 3 4 5 6 7 8 9 10 ... 13 14'],
    [14, 8, '1 2 ... 5 6 7 8 9 10 11 12 13 14'],
    [14, 14, '1 2 ... 5 6 7 8 9 10 11 12 13 14'],
    [30, 1, '1 2 3 4 5 6 7 8 9 10 ... 29 30'],
    [30, 7, '1 2 3 4 5 6 7 8 9 10 ... 29 30'],
    [30, 8, '1 2 ... 5 6 7 8 9 10 11 ... 29 30'],
    [30, 15, '1 2 ... 12 13 14 15 16 17 18 ... 29 30'],
    [30, 23, '1 2 ... 20 21 22 23 24 25 26 ... 29 30'],
    [30, 24, '1 2 ... 21 22 23 24 25 26 27 28 29 30'],
    [30, 30, '1 2 ... 21 22 23 24 25 26 27 28 29 30'],
    [30, 77, '1 2 ... 21 22 23 24 25 26 27 28 29 30'],
  ]
  const resourceWith: Record<number, ResourceName> = { 1: 'companies', 13: 'people', 14: 'opportunities', 30: 'tasks' }

  it('fewer than 14 pages: all; else the first, those around the current one and the last, with an ellipsis', async () => {
    const workspace = await workspaceWithOwn()
    for (const [count, type] of Object.entries(resourceWith)) {
      await stock(workspace, type, numberedBodies(type, Number(count)))
    }
    for (const [pages, current, expected] of cases) {
      const type = resourceWith[pages]
      const at = (page: number) => `${workspace.api.base}/${type}?per_page=1&page=${page}`
      const { body } = await workspace.api.get(`/${type}?per_page=1&page=${current}`)
      const between = expected.split(' ').map((label) => {
        if (label === '...') return { url: null, label, page: null, active: false }
        const page = Number(label)
        return { url: at(page), label, page, active: page === current }
      })
      const [previous, next] = [current > 1 ? current - 1 : null, current < pages ? current + 1 : null]
      expect(body.meta.links, `${current} of ${pages}`).toEqual([
        { url: previous && at(previous), label: PREVIOUS, page: previous, active: false },
        ...between,
        { url: next && at(next), label: NEXT, page: next, active: false },
      ])
    }
  })
})

describe('deep pages', () => {
  it('are read from the nearer end, and show what a scan by cursor shows', async () => {
    const workspace = await workspaceWithOwn()
    const total = 2350
    // Many share a time and a name, so that the id decides between them.
    const bodies = numberedBodies('notes', total).map((body, index) => ({ ...body, title: `Note ${index % 50}` }))
    await stock(workspace, 'notes', bodies)
    for (const sort of ['title', '-created_at', 'updated_at,-title']) {
      const scanned: string[] = []
      for (let cursor: string | null = 'true'; cursor !== null; ) {
        const { body } = await workspace.api.get(`/notes?sort=${sort}&per_page=100&cursor=${cursor}`)
        scanned.push(...body.data.map(({ id }: { id: string }) => id))
        cursor = body.meta.next_cursor
      }
      expect(new Set(scanned).size).toBe(total)
      for (const page of [1, 11, 12, 13, 20, 23, 24]) {
        const numbered = idsOf(await workspace.api.get(`/notes?sort=${sort}&per_page=100&page=${page}`))
        expect(numbered, `${sort}, page ${page}`).toEqual(scanned.slice((page - 1) * 100, page * 100))
      }
    }
  })
})
