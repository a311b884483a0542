import { expect, it } from 'vitest'
import { eachTested } from '../../lists.ts'
import { workspaceWithOwn } from '../../own-resource.ts'

it.each(eachTested)(
  'the responses of a list of %s paged by cursor carry X-Changes-Cursor, the same on all pages; reading on misses nothing',
  async (type, { label }) => {
    const { api } = await workspaceWithOwn()
    for (const name of ['A', 'B', 'C', 'D', 'E']) await api.post(`/${type}`, { [label]: name })
    for (const sort of ['', '&sort=-updated_at']) {
      const cursors: (string | null)[] = []
      const seen: string[] = []
      let written = ''
      for (let cursor: string | null = 'true'; cursor !== null; ) {
        const page = await api.get(`/${type}?per_page=2${sort}&cursor=${cursor}`)
        cursors.push(page.headers.get('x-changes-cursor'))
        seen.push(...page.body.data.map((one: { id: string }) => one.id))
        // What is created after the first page comes from there on.
        if (written === '') written = (await api.post(`/${type}`, { [label]: 'F' })).body.data.id
        cursor = page.body.meta.next_cursor
      }
      expect(new Set(cursors).size).toBe(1)
      const [position] = cursors
      expect(position).toMatch(/^[\w-]{1,512}$/)
      const { status, body } = await api.get(`/changes?cursor=${position}`)
      expect(status).toBe(200)
      const read = body.data.map((one: { attributes: { record_id: string } }) => one.attributes.record_id)
      expect([...seen, ...read]).toContain(written)
    }
  },
)

it('also by POST /query, and not where a list is paged by page', async () => {
  const { api } = await workspaceWithOwn()
  for (const name of ['A', 'B', 'C']) await api.post('/people', { name })
  const first = await api.post('/people/query', { cursor: 'true', per_page: 2 })
  const position = first.headers.get('x-changes-cursor')
  const second = await api.post('/people/query', { cursor: first.body.meta.next_cursor, per_page: 2 })
  const back = await api.post('/people/query', { cursor: second.body.meta.prev_cursor, per_page: 2 })
  expect([second, back].map(({ headers }) => headers.get('x-changes-cursor'))).toEqual([position, position])
  expect((await api.get(`/people/changes?cursor=${position}`)).status).toBe(200)
  expect((await api.get('/people')).headers.get('x-changes-cursor')).toBeNull()
})
