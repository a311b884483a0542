import { QUERY_BODY_MAX_BYTES } from '@kith/contract/limits'
import { describe, expect, it } from 'vitest'
import type { Answered, Api } from '../../api.ts'
import { newWorld } from '../../include-world.ts'
import { eachTested, errorsOf, idsOf, numberedBodies, stock } from '../../lists.ts'
import { workspaceWithOwn } from '../../own-resource.ts'

/** A body of exactly so many bytes that asks for something all the same. */
function bodyOf(bytes: number): string {
  const body = '{"per_page":1}'
  return body + ' '.repeat(bytes - body.length)
}

/** Sends a body piece by piece, so that its size is not told beforehand. */
async function sendInPieces(api: Api, path: string, text: string): Promise<number> {
  const response = await fetch(api.base + path, {
    method: 'POST',
    headers: { Authorization: `Bearer ${api.token}`, 'Content-Type': 'application/json' },
    body: new Blob([text]).stream(),
    duplex: 'half',
  } as RequestInit)
  await response.arrayBuffer()
  return response.status
}

describe.each(eachTested)('POST /v1/%s/query', (type, { label, relations, counts }) => {
  const path = `/${type}/query`

  it('returns the same records as the list endpoint for the same parameters', async () => {
    const { workspace } = await newWorld(workspaceWithOwn())
    const { api } = workspace
    await stock(workspace, type, numberedBodies(type, 20))
    const include = [...Object.keys(relations), ...Object.keys(counts)].join(',')
    for (const [query, body] of [
      ['', {}],
      ['per_page=7', { per_page: 7 }],
      ['per_page=7&page=3', { per_page: 7, page: 3 }],
      ['per_page=7&page=300', { per_page: 7, page: 300 }],
      [`sort=-${label},created_at`, { sort: `-${label},created_at` }],
      [`include=${include}`, { include }],
      [`fields=${label}`, { fields: label }],
      [`filter[${label}][$contains]=1`, { filter: { [label]: { $contains: '1' } } }],
      [
        `filter[$or][0][${label}][$eq]=Bare&filter[$or][1][creator][$is_empty]=1`,
        { filter: { $or: [{ [label]: { $eq: 'Bare' } }, { creator: { $is_empty: true } }] } },
      ],
      ['cursor=true&per_page=4', { cursor: 'true', per_page: 4 }],
      ['cursor=true&per_page=4', { cursor: true, per_page: 4 }],
      [
        `per_page=3&page=2&sort=${label}&include=creator&fields=${label}&filter[${label}][$contains]=1`,
        {
          per_page: 3,
          page: 2,
          sort: label,
          include: 'creator',
          fields: label,
          filter: { [label]: { $contains: '1' } },
        },
      ],
    ] as const) {
      const listed = await api.get(`/${type}?${query}`)
      const queried = await api.post(path, body)
      expect(queried.status, queried.text).toBe(200)
      expect(queried.headers.get('content-type')).toBe('application/vnd.api+json')
      expect(Object.keys(queried.body)).toEqual(Object.keys(listed.body))
      expect(queried.body.data, query).toEqual(listed.body.data)
      expect(queried.body.included, query).toEqual(listed.body.included)
      expect(numbersOf(queried), query).toEqual(numbersOf(listed))
    }
  })

  it('body is optional', async () => {
    const workspace = await workspaceWithOwn()
    const { api } = workspace
    await stock(workspace, type, numberedBodies(type, 2))
    const { data } = (await api.get(`/${type}`)).body
    for (const answer of [
      await api.post(path),
      await api.post(path, {}),
      await api.send('POST', path, ''),
      await api.send('POST', path, ' {} '),
      await api.send('POST', path, '{}', { headers: { 'Content-Type': 'application/vnd.api+json' } }),
    ]) {
      expect(answer.status, answer.text).toBe(200)
      expect(answer.body.data).toEqual(data)
    }
    for (const wrong of ['[]', '"x"', 'null', '7', '{', '{"page":1,}', 'page=1']) {
      const errors = await errorsOf(api.send('POST', path, wrong))
      expect(errors).toEqual({ body: ['The request body must be a JSON object.'] })
    }
  })

  it('what is null or empty counts as not sent', async () => {
    const workspace = await workspaceWithOwn()
    const { api } = workspace
    await stock(workspace, type, numberedBodies(type, 2))
    const plain = await api.post(path)
    const names = ['per_page', 'page', 'cursor', 'sort', 'include', 'fields', 'filter']
    const bodies: object[] = ['', null].flatMap((nothing) => [
      Object.fromEntries(names.map((name) => [name, nothing])),
      ...names.map((name) => ({ [name]: nothing })),
    ])
    bodies.push({ filter: {} }, { filter: [] }, { include: [] }, { fields: [] }, { fields: {} })
    for (const body of bodies) {
      const answer = await api.post(path, body)
      expect(answer.status, answer.text).toBe(200)
      expect(answer.body, JSON.stringify(body)).toEqual(plain.body)
    }
  })

  it('next page: re-send the same body with the next page, or with cursor set to meta.next_cursor', async () => {
    const workspace = await workspaceWithOwn()
    const { api } = workspace
    await stock(workspace, type, numberedBodies(type, 7))
    const body = { per_page: 3, sort: label, filter: { [label]: { $contains: ' ' } } }
    const whole = idsOf(await api.post(path, { ...body, per_page: 100 }))
    expect(whole).toHaveLength(7)
    const paged: string[] = []
    for (const page of [1, 2, 3]) paged.push(...idsOf(await api.post(path, { ...body, page })))
    expect(paged).toEqual(whole)
    const scanned: string[] = []
    let back: string | null = null
    for (let cursor: unknown = true; cursor !== null; ) {
      const answer = await api.post(path, { ...body, cursor })
      expect(Object.keys(answer.body.meta)).toEqual(['path', 'per_page', 'next_cursor', 'prev_cursor'])
      scanned.push(...idsOf(answer))
      cursor = answer.body.meta.next_cursor
      back = answer.body.meta.prev_cursor
    }
    expect(scanned).toEqual(whole)
    expect(idsOf(await api.post(path, { ...body, cursor: back }))).toEqual(whole.slice(3, 6))
    const { sort: _sort, ...unsorted } = body
    expect(Object.keys(await errorsOf(api.post(path, { ...unsorted, cursor: back })))).toEqual(['cursor'])
  })

  it('links point to the /query path; a GET to links.next is not a valid request', async () => {
    const workspace = await workspaceWithOwn()
    const { api } = workspace
    await stock(workspace, type, numberedBodies(type, 3))
    const { links, meta } = (await api.post(path, { per_page: 1, page: 2, filter: { [label]: { $contains: ' ' } } }))
      .body
    const at = (page: number) => `${api.base}${path}?page=${page}`
    expect(meta.path).toBe(api.base + path)
    expect(links).toEqual({ first: at(1), last: at(3), prev: at(1), next: at(3) })
    expect(meta.links.map(({ url }: { url: string }) => url)).toEqual([at(1), at(1), at(2), at(3), at(3)])
    const scanned = (await api.post(path, { per_page: 1, cursor: true })).body
    expect(scanned.links.next).toBe(`${api.base}${path}?cursor=${scanned.meta.next_cursor}`)
    const fetched = await api.get(`${path}?page=3`)
    expect(fetched.status).toBe(405)
    expect(fetched.headers.get('allow')).toBe('POST')
  })

  it('a body larger than 256 KB returns 413', async () => {
    const workspace = await workspaceWithOwn()
    const { api } = workspace
    const most = await api.send('POST', path, bodyOf(QUERY_BODY_MAX_BYTES))
    expect(most.status).toBe(200)
    expect(most.body.meta.per_page).toBe(1)
    const larger = await api.send('POST', path, bodyOf(QUERY_BODY_MAX_BYTES + 1))
    expect(larger.status).toBe(413)
    expect(Object.keys(larger.body)).toEqual(['message'])
    expect(larger.headers.get('content-type')).toBe('application/json')
    expect(await sendInPieces(api, path, bodyOf(QUERY_BODY_MAX_BYTES))).toBe(200)
    expect(await sendInPieces(api, path, bodyOf(QUERY_BODY_MAX_BYTES + 1))).toBe(413)
  })

  it('parameters in the query string and unknown keys of the body are refused', async () => {
    const { api } = await workspaceWithOwn()
    const inAddress = await errorsOf(api.post(`${path}?page=2&filter[${label}][$eq]=x&nonsense=1`, { per_page: 2 }))
    expect(Object.keys(inAddress).sort()).toEqual(['filter', 'nonsense', 'page'])
    expect(inAddress.page?.[0]).toContain('page')
    const inBody = await errorsOf(api.post(path, { perpage: 2, filters: {}, [`filter[${label}][$eq]`]: 'x' }))
    expect(Object.keys(inBody).sort()).toEqual([`filter[${label}][$eq]`, 'filters', 'perpage'])
    expect(inBody.perpage?.[0]).toContain('Did you mean per_page?')
    const gathered = await errorsOf(
      api.post(path, { per_page: 0, page: 'x', sort: 'y', include: 'z', fields: 'q', filter: 7 }),
    )
    expect(Object.keys(gathered).sort()).toEqual(['fields', 'filter', 'include', 'page', 'per_page', 'sort'])
  })

  it.each([
    ['per_page', [0, 101, 1.5, -1, true, [], {}, 'ten', '1.5']],
    ['page', [0, 1_000_001, 1.5, -1, true, [], {}, 'last']],
    ['filter', [true, 7, 'name', ['x']]],
  ])('the rules for %s are those of the list parameters', async (name, values) => {
    const { api } = await workspaceWithOwn()
    for (const value of values) {
      const names = Object.keys(await errorsOf(api.post(path, { [name]: value })))
      expect(names, JSON.stringify(value)).toEqual([name])
    }
    for (const [per_page, page] of [
      [1, 1],
      [100, 1_000_000],
      ['15', '2'],
    ]) {
      expect((await api.post(path, { per_page, page })).status).toBe(200)
    }
  })
})

/** What the meta of a list says, its addresses aside. */
function numbersOf({ body }: Answered): object {
  const { path: _path, links: _links, next_cursor, prev_cursor, ...numbers } = body.meta
  return { ...numbers, cursors: [next_cursor, prev_cursor] }
}
