import { gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { signedInMember } from '../../browser.ts'
import { openExport, readExport } from '../../exported.ts'
import { eachTested, stock } from '../../lists.ts'
import { workspaceWithOwn } from '../../own-resource.ts'
import { plainRequest } from '../../plain-http.ts'
import { gone, made, problemsOf } from '../../records.ts'

describe.each(eachTested)('sync 4. Export of %s', (type, { label }) => {
  it('streams every record by id ascending, one sync form per line, and an end line', async () => {
    const workspace = await workspaceWithOwn()
    const { api } = workspace
    // The order of creation is not the order of the ids.
    const times = ['2026-01-03', '2026-01-01', '2026-01-02'].map((day) => `${day}T00:00:00.000Z`)
    await stock(
      workspace,
      type,
      times.map((at) => ({ [label]: at, at })),
    )
    await api.post(`/${type}`, { [label]: 'Last', external_ids: { crm: ['1'] } })
    const { response, records, end } = await readExport(api, `/${type}/export`)
    expect(response.headers.get('content-type')).toBe('application/x-ndjson')
    expect(records.map(({ attributes }) => attributes[label])).toEqual([...times.toSorted(), 'Last'])
    const { body } = await api.get(`/${type}/changes?cursor=start`)
    expect(records).toEqual(body.data.map((entry: { attributes: { record: object } }) => entry.attributes.record))
    expect(Object.keys(records[0]?.attributes)).toEqual(Object.keys(body.data[0].attributes.record.attributes))
    expect(records[3]?.attributes.external_ids).toEqual({ crm: ['1'] })
    const changes_cursor = response.headers.get('x-changes-cursor')
    expect(end).toEqual({ type: 'end', meta: { count: 4, changes_cursor } })
  })

  it('has filter and fields as in lists, and no deleted records', async () => {
    const { api } = await workspaceWithOwn()
    const [one, other] = [await made(api, type, { [label]: 'Ada' }), await made(api, type, { [label]: 'Bob' })]
    await gone(api, type, (await made(api, type, { [label]: 'Abe' })).id)
    const path = `/${type}/export?filter[${label}][$contains]=a&fields=${label},custom_fields.x`
    expect(Object.keys(await problemsOf(api.get(path)))).toEqual(['fields'])
    const { records, end } = await readExport(api, path.replace(',custom_fields.x', ''))
    expect(records.map(({ id, attributes }) => [id, attributes])).toEqual([[one.id, { [label]: 'Ada' }]])
    expect(end?.meta?.count).toBe(1)
    expect((await readExport(api, `/${type}/export`)).ids).toEqual([one.id, other.id])
  })
})

describe('sync 4. Export', () => {
  it('of nothing is the end line alone', async () => {
    const { records, end } = await readExport((await workspaceWithOwn()).api, '/people/export')
    expect([records, end?.meta?.count]).toEqual([[], 0])
  })

  it('tasks and notes have their links, members who have left included', async () => {
    const workspace = await workspaceWithOwn()
    const member = await workspace.member('member')
    const company = await made(workspace.api, 'companies')
    const links = { company_ids: [company.id], assignee_ids: [member.id] }
    await made(workspace.api, 'tasks', links)
    await workspace.remove(member)
    const { records } = await readExport(workspace.api, '/tasks/export')
    expect(records[0]?.relationships.companies.data).toEqual([{ id: company.id, type: 'companies' }])
    expect(records[0]?.relationships.assignees.data).toEqual([{ id: member.id, type: 'users' }])
  })

  it('continues after=<id> of the last complete line, in any letter case', async () => {
    const { api } = await workspaceWithOwn()
    const ids: string[] = []
    for (const name of ['A', 'B', 'C']) ids.push((await made(api, 'people', { name })).id)
    const rest = await readExport(api, `/people/export?after=${ids[0]?.toUpperCase()}`)
    expect([rest.ids, rest.end?.meta?.count]).toEqual([ids.slice(1), 2])
    expect((await readExport(api, `/people/export?after=${ids[2]}`)).ids).toEqual([])
    // The record itself may be gone.
    await gone(api, 'people', ids[1] ?? '')
    expect((await readExport(api, `/people/export?after=${ids[1]}`)).ids).toEqual(ids.slice(2))
  })

  it('reading on from changes_cursor misses nothing and repeats nothing that was there before', async () => {
    const { api } = await workspaceWithOwn()
    await made(api, 'people')
    const { end } = await readExport(api, '/people/export')
    const later = await made(api, 'people')
    const { body } = await api.get(`/changes?cursor=${end?.meta?.changes_cursor}`)
    expect(body.data.map((entry: { attributes: object }) => entry.attributes)).toMatchObject([
      { kind: 'created', record_id: later.id },
    ])
  })

  it('sort, include, page and cursor are 422, and so is what is not known', async () => {
    const { api } = await workspaceWithOwn()
    for (const name of ['sort', 'include', 'page', 'cursor', 'per_page', 'limit']) {
      expect(Object.keys(await problemsOf(api.get(`/people/export?${name}=1`)))).toEqual([name])
    }
    for (const wrong of ['format=xml', 'after=last', 'filter[x]=1', 'fields=x']) {
      const [path = ''] = Object.keys(await problemsOf(api.get(`/people/export?${wrong}`)))
      expect(wrong.startsWith(path.split('.', 1)[0] ?? '')).toBe(true)
    }
    expect((await api.get('/users/export')).status).toBe(404)
    expect((await api.post('/people/export')).status).toBe(405)
  })

  it('supports Accept-Encoding: gzip', async () => {
    const { api } = await workspaceWithOwn()
    await made(api, 'people', { name: 'Ada' })
    const headers = { Authorization: `Bearer ${api.token}`, 'Accept-Encoding': 'gzip' }
    const { text } = await readExport(api, '/people/export?format=ndjson')
    const url = new URL(`${api.base}/people/export`)
    const { get } = await import('node:http')
    const packed = await new Promise<{ encoding: string | undefined; vary: string | undefined; bytes: Buffer }>(
      (resolve, reject) => {
        get(url, { headers, agent: false }, async (response) => {
          const { 'content-encoding': encoding, vary } = response.headers
          resolve({ encoding, vary, bytes: Buffer.concat(await response.toArray()) })
        }).on('error', reject)
      },
    )
    expect([packed.encoding, packed.vary]).toEqual(['gzip', 'Accept-Encoding'])
    expect(gunzipSync(packed.bytes).toString().split('\n')[0]).toBe(text.split('\n')[0])
    const plain = await plainRequest(`${url}?fields=name&after=7zzzzzzzzzzzzzzzzzzzzzzzzz`, {
      headers: { Authorization: `Bearer ${api.token}` },
    })
    expect([plain.headers.get('content-encoding'), plain.body.meta.count]).toEqual([null, 0])
  })

  it('needs the ability read, and HEAD has the headers alone', async () => {
    const workspace = await workspaceWithOwn()
    const writer = await workspace.token({ abilities: ['create', 'update', 'delete'] })
    expect((await writer.get('/people/export')).status).toBe(403)
    expect((await fetch(`${workspace.api.base}/people/export`)).status).toBe(401)
    const head = await openExport(workspace.api, '/people/export?format=csv', { method: 'HEAD' })
    expect([head.status, head.headers.get('content-type'), await head.text()]).toEqual([
      200,
      'text/csv; charset=utf-8',
      '',
    ])
    expect(head.headers.get('x-changes-cursor')).toMatch(/^[\w-]+$/)
  })

  it('is in the application under its session, where a viewer may read', async () => {
    const workspace = await workspaceWithOwn()
    await made(workspace.api, 'people', { name: 'Ada' })
    const { browser } = await signedInMember(workspace, 'viewer')
    const url = `${browser.url}/api/app/w/${workspace.slug}/v1/people/export?format=csv&fields=name`
    const response = await fetch(url, { headers: { Cookie: browser.cookie() } })
    expect((await response.text()).split('\r\n').map((line) => line.split(',')[1])).toEqual(['name', 'Ada', undefined])
    const day = new Date().toISOString().slice(0, 10)
    expect(response.headers.get('content-disposition')).toBe(`attachment; filename="people-${day}.csv"`)
  })
})
