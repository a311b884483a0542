import { describe, expect, it } from 'vitest'
import { localService } from '../test/local-service.ts'
import { createClient } from './client.ts'

const cursorPage = (ids: string[], next_cursor: string | null) => ({
  status: 200,
  body: { data: ids.map((id) => ({ id, type: 'people' })), meta: { next_cursor } },
})
const numberedPage = (ids: string[], current_page: number, last_page: number) => ({
  status: 200,
  body: { data: ids.map((id) => ({ id, type: 'people' })), meta: { current_page, last_page } },
})

describe('scanning a list', () => {
  it('sends true for the first page, then the next_cursor of the previous page', async () => {
    const { url, received } = await localService(
      cursorPage(['1', '2'], 'c1'),
      cursorPage([], 'c2'),
      cursorPage(['3'], null),
    )
    const ids: string[] = []
    const filter = { company: { name: { $eq: 'Acme' } } }
    for await (const { id } of createClient({ url, token: 't' }).people.all({ filter, sort: '-name' })) ids.push(id)
    expect(ids).toEqual(['1', '2', '3'])
    expect(received.map(({ body }) => JSON.parse(body))).toEqual(
      ['true', 'c1', 'c2'].map((cursor) => ({ per_page: 100, filter, sort: '-name', cursor })),
    )
  })

  it('asks for no page before it is wanted', async () => {
    const { url, received } = await localService(cursorPage(['1', '2'], 'c1'))
    const people = createClient({ url, token: 't' }).people.all()
    expect(received).toEqual([])
    for await (const { id } of people) if (id === '2') break
    expect(received).toHaveLength(1)
  })

  it('goes on from a cursor that was kept, with pages of the size that was asked for', async () => {
    const { url, received } = await localService(cursorPage(['3'], null))
    const pages = createClient({ url, token: 't' }).people.pages({ cursor: 'c2', per_page: 7 })
    const { value } = await pages.next()
    expect(value?.meta.next_cursor).toBeNull()
    expect(await pages.next()).toEqual({ done: true, value: undefined })
    expect(received.map(({ body }) => JSON.parse(body))).toEqual([{ per_page: 7, cursor: 'c2' }])
  })

  it.each([
    ['custom_fields.score', ['custom_fields.score']],
    ['-custom_fields.score,name', ['-custom_fields.score', 'name']],
  ] as const)('uses page instead where the sort is by a custom field: %s', async (sent, sort) => {
    const { url, received } = await localService(numberedPage(['1'], 1, 2), numberedPage(['2'], 2, 2))
    const ids: string[] = []
    for await (const { id } of createClient({ url, token: 't' }).people.all({ sort })) ids.push(id)
    expect(ids).toEqual(['1', '2'])
    expect(received.map(({ body }) => JSON.parse(body))).toEqual(
      [1, 2].map((page) => ({ per_page: 100, sort: sent, page })),
    )
  })

  it('reads the definitions of custom fields by page', async () => {
    const { url, received } = await localService(numberedPage(['1'], 1, 2), numberedPage(['2'], 2, 2))
    const ids: string[] = []
    for await (const { id } of createClient({ url, token: 't' }).customFields.all({ entity_type: 'tasks' }))
      ids.push(id)
    expect(ids).toEqual(['1', '2'])
    expect(received.map(({ path }) => path)).toEqual([
      '/api/v1/custom-fields?per_page=100&entity_type=tasks&page=1',
      '/api/v1/custom-fields?per_page=100&entity_type=tasks&page=2',
    ])
  })
})
