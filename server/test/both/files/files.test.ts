import { randomBytes } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { listAudit } from '../../../src/changes/audit-log.ts'
import { workspaceWithOwn } from '../../own-resource.ts'
import { testedResources } from '../../run-length.ts'
import { newWorkspace, type TestWorkspace } from '../../workspace.ts'
import { newFile, newRecord, sendFile, sha256 } from './files.ts'

let workspace: TestWorkspace
let company: string

beforeAll(async () => {
  workspace = await workspaceWithOwn()
  company = await newRecord(workspace)
})

const pathsOf = (answer: { body: { errors?: object } }) => Object.keys(answer.body.errors ?? {})

describe('POST /v1/{resource}/{id}/files', () => {
  it.each(testedResources)('adds a file to one of the %s, which does not change', async (resource) => {
    const { api, owner } = workspace
    const id = await newRecord(workspace, resource)
    const before = await api.get(`/${resource}/${id}`)
    const sent = await sendFile(api, `${resource}/${id}`, 'offer.pdf', {
      bytes: 'the offer',
      'Content-Type': 'application/pdf',
    })
    expect(sent.status, sent.text).toBe(201)
    const { data } = sent.body
    expect(Object.entries(data.attributes)).toEqual([
      ['name', 'offer.pdf'],
      ['content_type', 'application/pdf'],
      ['size', 9],
      ['sha256', sha256('the offer')],
      ['resource', resource],
      ['record_id', id],
      ['created_at', expect.stringMatching(/Z$/)],
      ['updated_at', data.attributes.created_at],
      ['creator_id', owner.id],
    ])
    expect(sent.headers.get('location')).toBe(`${api.base}/files/${data.id}`)
    expect((await api.get(`/files/${data.id}`)).body.data).toEqual(data)
    expect((await api.get(`/${resource}/${id}`)).text).toBe(before.text)
    expect((await api.get(`/${resource}/${id}/files`)).body.data).toEqual([data])
  })

  it.each([
    ['of one character', 'a'],
    ['of 255 characters', '€'.repeat(255)],
    ['that is a path above', '..'],
    ['with quotes and percent signs', `"; rm -rf '%2e%2e'`],
    ['in another direction', '\u{202e}fdp.exe'],
    ['with a query', 'a?b=c&d#e'],
  ])('takes a name %s', async (_, name) => {
    const { api } = workspace
    const made = await newFile(api, company, name)
    expect(made.attributes.name).toBe(name)
    const read = await api.get(`/files/${made.id}/content`)
    expect(read.status).toBe(200)
    const written = /filename\*=UTF-8''(.*)$/.exec(read.headers.get('content-disposition') ?? '')?.[1] ?? ''
    expect(decodeURIComponent(written)).toBe(name)
  })

  it.each([
    ['no name', ''],
    ['blanks', '   '],
    ['256 characters', 'a'.repeat(256)],
    ['a slash', '../../etc/passwd'],
    ['a backslash', '..\\boot.ini'],
    ['a zero byte', 'a\0.pdf'],
    ['a line break', 'a\r\nSet-Cookie: b'],
    ['a control character', 'a\u{85}b'],
  ])('refuses %s: 422 on name', async (_, name) => {
    const refused = await sendFile(workspace.api, company, name)
    expect([refused.status, pathsOf(refused)]).toEqual([422, ['name']])
  })

  it('reports all problems at once, and refuses unknown parameters', async () => {
    const { api } = workspace
    const headers = { 'Content-Encoding': 'gzip', 'Content-Type': 'no type' }
    const refused = await api.send('POST', `/companies/${company}/files?nmae=a`, 'bytes', { headers })
    expect([refused.status, pathsOf(refused).sort()]).toEqual([422, ['content_type', 'file', 'name', 'nmae']])
    const twice = await api.send('POST', `/companies/${company}/files?name=a&name=b`, 'bytes')
    expect([twice.status, pathsOf(twice)]).toEqual([422, ['name']])
  })

  it('refuses no bytes, with and without a length: 422 on file', async () => {
    const { api } = workspace
    const empty = await sendFile(api, company, 'empty.txt', { bytes: '' })
    expect([empty.status, pathsOf(empty)]).toEqual([422, ['file']])
    const none = await api.post(`/companies/${company}/files?name=empty.txt`)
    expect([none.status, pathsOf(none)]).toEqual([422, ['file']])
  })

  it('takes application/octet-stream for no type', async () => {
    const sent = await sendFile(workspace.api, company, 'bytes', { 'Content-Type': '' })
    expect(sent.body.data.attributes.content_type).toBe('application/octet-stream')
  })

  it('takes FILE_MAX_MB, and refuses one byte more before it has read it: 413', async () => {
    const { api } = workspace
    const bytes = new Uint8Array(25 * 1024 * 1024 + 1)
    expect((await sendFile(api, company, 'large.bin', { bytes: bytes.subarray(1) })).status).toBe(201)
    const refused = await sendFile(api, company, 'large.bin', { bytes })
    expect([refused.status, refused.body.message]).toEqual([413, expect.stringContaining('at most 25 MB')])
    // Before the record is looked up.
    expect((await sendFile(api, company.replace(/.$/, 'x'), 'large.bin', { bytes })).status).toBe(413)
  })

  it('is 404 for a record that does not exist or is deleted, and names the winner of a merge', async () => {
    const { api } = workspace
    expect((await sendFile(api, 'companies/nothing', 'a.txt')).status).toBe(404)
    const deleted = await newRecord(workspace)
    await api.delete(`/companies/${deleted}`)
    // A bad name is not told about what does not exist.
    const missing = await sendFile(api, deleted, '')
    expect([missing.status, missing.body.message]).toEqual([404, expect.stringContaining('No company with the ID')])
    expect((await api.get(`/companies/${deleted}/files`)).status).toBe(404)
    const [winner, loser] = [await newRecord(workspace), await newRecord(workspace)]
    await api.put(`/companies/${winner}/merge`, { loser_ids: [loser] })
    const merged = await sendFile(api, loser, 'a.txt')
    expect([merged.status, merged.body.merged_into]).toEqual([404, { id: winner, type: 'companies' }])
  })

  it('needs create and update, and no viewer can add files', async () => {
    const { api, token, member } = workspace
    for (const abilities of [['create'], ['update'], ['read', 'delete']] as const) {
      expect((await sendFile(await token({ abilities }), company, 'a.txt')).status).toBe(403)
    }
    expect((await sendFile(await token({ abilities: ['create', 'update'] }), company, 'a.txt')).status).toBe(201)
    const viewer = await token({ user: await member('viewer') })
    expect((await sendFile(viewer, company, 'a.txt')).status).toBe(403)
    const { id } = await newFile(api, company)
    expect((await viewer.get(`/files/${id}/content`)).status).toBe(200)
    expect((await viewer.delete(`/files/${id}`)).status).toBe(403)
  })

  it('takes effect once with an Idempotency-Key, which belongs to the bytes', async () => {
    const { api } = workspace
    const id = await newRecord(workspace)
    const key = { 'Idempotency-Key': `file ${id}` }
    const [first, same] = await Promise.all([1, 2].map(() => sendFile(api, id, 'once.txt', key)))
    expect([first?.status, same?.text]).toEqual([201, first?.text])
    expect([first, same].filter((one) => one?.headers.get('idempotent-replayed') === 'true')).toHaveLength(1)
    const other = await sendFile(api, id, 'once.txt', { ...key, bytes: 'other bytes' })
    expect([other.status, pathsOf(other)]).toEqual([422, ['idempotency_key']])
    await api.delete(`/companies/${id}`)
    expect((await sendFile(api, id, 'once.txt', key)).text).toBe(first?.text)
  })

  it('adds no 501st file: 422 on file', async () => {
    const { api } = workspace
    const id = await newRecord(workspace)
    for (let sent = 0; sent < 500; sent += 50) {
      const some = await Promise.all(Array.from({ length: 50 }, (_, index) => sendFile(api, id, `${sent + index}`)))
      expect(new Set(some.map(({ status }) => status))).toEqual(new Set([201]))
    }
    const refused = await sendFile(api, id, 'one more')
    expect([refused.status, pathsOf(refused)]).toEqual([422, ['file']])
    const { data, meta } = (await api.get(`/companies/${id}/files?per_page=100&page=5`)).body
    expect([data.length, meta.total, meta.last_page]).toEqual([100, 500, 5])
    await api.delete(`/files/${data[0].id}`)
    // Two at once: one of them fits.
    const both = await Promise.all([sendFile(api, id, 'one'), sendFile(api, id, 'two')])
    expect(both.map(({ status }) => status).sort()).toEqual([201, 422])
    const back = await api.put(`/files/${data[0].id}/restore`)
    expect([back.status, pathsOf(back)]).toEqual([422, ['file']])
  })
})

describe('GET /v1/files/{id}/content', () => {
  it('returns the bytes as an attachment that runs nothing', async () => {
    const { api } = workspace
    const sent = await sendFile(api, company, 'page.html', {
      bytes: '<script>alert(1)</script>',
      'Content-Type': 'text/html',
    })
    const { id, attributes } = sent.body.data
    const { status, text, headers } = await api.get(`/files/${id}/content`)
    expect([status, text]).toEqual([200, '<script>alert(1)</script>'])
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'text/html',
      'content-length': '25',
      'content-disposition': `attachment; filename="page.html"; filename*=UTF-8''page.html`,
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
      'x-content-type-options': 'nosniff',
      'accept-ranges': 'bytes',
      etag: `"${attributes.sha256}"`,
    })
    expect((await api.send('HEAD', `/files/${id}/content`)).headers.get('content-length')).toBe('25')
  })

  it('returns a part for a Range, 416 past the end, and 304 for what the client has', async () => {
    const { api } = workspace
    const { id, attributes } = await newFile(api, company, 'digits.txt', '0123456789')
    const path = `/files/${id}/content`
    const part = await api.get(path, { headers: { Range: 'bytes=2-4' } })
    expect([part.status, part.text, part.headers.get('content-range')]).toEqual([206, '234', 'bytes 2-4/10'])
    const last = await api.get(path, { headers: { Range: 'bytes=-3' } })
    expect([last.status, last.text]).toEqual([206, '789'])
    const past = await api.get(path, { headers: { Range: 'bytes=10-' } })
    expect([past.status, past.headers.get('content-range')]).toEqual([416, 'bytes */10'])
    const ETag = `"${attributes.sha256}"`
    expect((await api.get(path, { headers: { 'If-None-Match': ETag } })).status).toBe(304)
    expect((await api.get(path, { headers: { 'If-None-Match': '"other"' } })).status).toBe(200)
    const same = { headers: { Range: 'bytes=0-0', 'If-Range': ETag } }
    expect((await api.get(path, same)).text).toBe('0')
    const other = { headers: { Range: 'bytes=0-0', 'If-Range': '"other"' } }
    expect((await api.get(path, other)).text).toBe('0123456789')
  })

  it('returns every byte of a large file', async () => {
    const { api } = workspace
    const bytes = randomBytes(5 * 1024 * 1024)
    const { id } = await newFile(api, company, 'large.bin', bytes)
    const headers = { Authorization: `Bearer ${api.token}` }
    const read = await fetch(`${api.base}/files/${id}/content`, { headers })
    expect(Buffer.from(await read.arrayBuffer()).equals(bytes)).toBe(true)
  })
})

describe('PUT, PATCH, DELETE /v1/files/{id}', () => {
  it('renames a file, and takes back what was read', async () => {
    const { api } = workspace
    const file = await newFile(api, company, 'old.txt')
    const renamed = await api.put(`/files/${file.id}`, { name: ' new.txt ' })
    expect(renamed.body.data.attributes).toMatchObject({ name: 'new.txt', created_at: file.attributes.created_at })
    expect(renamed.body.data.attributes.updated_at > file.attributes.updated_at).toBe(true)
    const same = await api.patch(`/files/${file.id}`, renamed.body.data.attributes)
    expect(same.body).toEqual(renamed.body)
    expect((await api.patch(`/files/${file.id}`, {})).body).toEqual(renamed.body)
    const refused = await api.put(`/files/${file.id}`, { name: null, size: 1, seize: 2 })
    expect([refused.status, pathsOf(refused)]).toEqual([422, ['seize', 'name']])
    expect((await api.put(`/files/${file.id}`, { name: 'a/b' })).body.errors).toHaveProperty('name')
  })

  it('deletes and restores a file, outside of the trash of records', async () => {
    const { api } = workspace
    const id = await newRecord(workspace)
    const file = await newFile(api, id, 'gone.txt')
    expect((await api.delete(`/files/${file.id}`)).status).toBe(204)
    for (const path of ['', '/content']) expect((await api.get(`/files/${file.id}${path}`)).status).toBe(404)
    expect((await api.put(`/files/${file.id}`, { name: 'b' })).status).toBe(404)
    expect((await api.delete(`/files/${file.id}`)).status).toBe(404)
    expect((await api.get(`/companies/${id}/files`)).body.data).toEqual([])
    expect((await api.get('/trash?per_page=100')).text).not.toContain(file.id)
    const restored = await api.put(`/files/${file.id}/restore`)
    expect([restored.status, restored.body.data.id]).toEqual([200, file.id])
    expect((await api.get(`/files/${file.id}/content`)).text).toBe('content')
    expect((await api.put(`/files/${file.id}/restore`)).body).toEqual(restored.body)
  })

  it('are 404 for the files of a deleted record, until it is restored', async () => {
    const { api } = workspace
    const id = await newRecord(workspace)
    const [file, gone] = [await newFile(api, id, 'a.txt'), await newFile(api, id, 'b.txt')]
    await api.delete(`/files/${gone.id}`)
    await api.delete(`/companies/${id}`)
    for (const { id: one } of [file, gone]) {
      expect((await api.get(`/files/${one}`)).status).toBe(404)
      expect((await api.get(`/files/${one}/content`)).status).toBe(404)
      expect((await api.put(`/files/${one}`, { name: 'c.txt' })).status).toBe(404)
      expect((await api.delete(`/files/${one}`)).status).toBe(404)
      expect((await api.put(`/files/${one}/restore`)).status).toBe(404)
    }
    await api.put(`/companies/${id}/restore`)
    expect((await api.get(`/files/${file.id}/content`)).text).toBe('content')
    expect((await api.get(`/companies/${id}/files`)).body.data.map(({ id: one }: { id: string }) => one)).toEqual([
      file.id,
    ])
  })

  it('are 404 while the resource is archived', async () => {
    const { api } = workspace
    const id = await newRecord(workspace, 'projects')
    const file = await newFile(api, `projects/${id}`, 'plan.txt')
    await api.delete('/schema/projects')
    expect((await api.get(`/files/${file.id}`)).status).toBe(404)
    expect((await sendFile(api, `projects/${id}`, 'b.txt')).status).toBe(404)
    await api.put('/schema/projects/restore')
    expect((await api.get(`/files/${file.id}/content`)).text).toBe('content')
  })

  it('need their abilities', async () => {
    const { api, token } = workspace
    const { id } = await newFile(api, company)
    const [reader, creator] = [await token({ abilities: ['read'] }), await token({ abilities: ['create'] })]
    expect((await creator.get(`/files/${id}`)).status).toBe(403)
    expect((await reader.put(`/files/${id}`, { name: 'b' })).status).toBe(403)
    expect((await reader.delete(`/files/${id}`)).status).toBe(403)
    expect((await (await token({ abilities: ['delete'] })).put(`/files/${id}/restore`)).status).toBe(403)
    expect((await (await token({ abilities: ['update'] })).put(`/files/${id}/restore`)).status).toBe(200)
  })

  it('never reach the files of another workspace', async () => {
    const { id } = await newFile(workspace.api, company)
    const { api } = await newWorkspace()
    const answers = [
      await api.get(`/files/${id}`),
      await api.get(`/files/${id}/content`),
      await api.put(`/files/${id}`, { name: 'b' }),
      await api.delete(`/files/${id}`),
      await api.put(`/files/${id}/restore`),
      await api.get(`/companies/${company}/files`),
      await sendFile(api, company, 'b.txt'),
    ]
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 404))
  })

  it('are entries of the audit log', async () => {
    const { api, owner, scope } = workspace
    const file = await newFile(api, await newRecord(workspace), 'a.txt')
    await api.put(`/files/${file.id}`, { name: 'b.txt' })
    await api.delete(`/files/${file.id}`)
    await api.put(`/files/${file.id}/restore`)
    const { data } = await listAudit(await scope(), { resource: 'files', per_page: 4 })
    expect(data.map(({ action, record_id, record_name }) => [action, record_id, record_name])).toEqual([
      ['restore', file.id, 'b.txt'],
      ['delete', file.id, 'b.txt'],
      ['update', file.id, 'b.txt'],
      ['create', file.id, 'a.txt'],
    ])
    expect(data[2]).toMatchObject({ actor: { id: owner.id }, source: 'api' })
    expect(data[2]?.changes).toEqual([
      { field: 'name', label: 'Name', before: 'a.txt', after: 'b.txt', truncated: false },
    ])
  })
})
