import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { beforeAll, describe, expect, it } from 'vitest'
import { ownService } from '../../own-service.ts'
import { newWorkspace, type TestWorkspace } from '../../workspace.ts'
import { ended, imported, newImport, pathsOf, resultsOf, sendFile } from './jobs.ts'

let workspace: TestWorkspace

beforeAll(async () => {
  workspace = await newWorkspace()
})

describe('PUT /v1/jobs/{id}/file', () => {
  it('queues the job, once', async () => {
    const { api } = workspace
    const id = await newImport(api)
    const sent = await sendFile(api, id, 'name\nSent\n')
    expect(sent.status, sent.text).toBe(202)
    expect(sent.body.data.attributes).toMatchObject({ state: 'queued', progress: { rows: 1, done: 0 } })
    expect(pathsOf(await sendFile(api, id, 'name\nAgain\n'))).toEqual(['state'])
    expect((await ended(api, id)).attributes.progress).toMatchObject({ created: 1 })
  })

  it('takes gzip, and refuses what is cut off or no gzip', async () => {
    const { api } = workspace
    const id = await newImport(api)
    const packed = gzipSync(`name\n${Array.from({ length: 5000 }, (_, index) => `Packed ${index}`).join('\n')}\n`)
    const gzip = { 'Content-Encoding': 'gzip' }
    expect(pathsOf(await sendFile(api, id, packed.subarray(0, -2000), gzip))).toEqual(['file'])
    expect(pathsOf(await sendFile(api, id, 'name\nPlain\n', gzip))).toEqual(['file'])
    expect(pathsOf(await sendFile(api, id, 'name\nPlain\n', { 'Content-Encoding': 'br' }))).toEqual(['file'])
    // A refused file leaves the job as it was.
    expect((await sendFile(api, id, packed, gzip)).status).toBe(202)
    expect((await ended(api, id)).attributes.progress).toMatchObject({ rows: 5000, created: 5000 })
  })

  it.each([
    ['', {}],
    ['name\n"cut off', {}],
    [new Uint8Array([0x50, 0x4b, 3, 4]), {}],
    ['name\nA\n', { 'Content-Type': 'application/json' }],
    ['{"name":"A"}\n', { 'Content-Type': 'application/x-ndjson' }],
  ])('refuses a file that it cannot read: %#', async (file, headers) => {
    const { api } = workspace
    const id = await newImport(api)
    expect(pathsOf(await sendFile(api, id, file, headers))).toEqual(['file'])
    expect((await api.get(`/jobs/${id}`)).body.data.attributes.state).toBe('waiting')
    await api.put(`/jobs/${id}/cancel`)
  })

  it('takes effect once with an Idempotency-Key', async () => {
    const { api } = workspace
    const id = await newImport(api)
    const key = { 'Idempotency-Key': `file ${id}` }
    const first = await sendFile(api, id, 'name\nOnce\n', key)
    expect(first.status, first.text).toBe(202)
    const again = await sendFile(api, id, 'name\nOnce\n', key)
    expect([again.status, again.text]).toEqual([202, first.text])
    expect(again.headers.get('Idempotent-Replayed')).toBe('true')
    expect(pathsOf(await sendFile(api, id, 'name\nTwice\n', key))).toEqual(['idempotency_key'])
    // Before anything of the file is read.
    const malformed = { 'Idempotency-Key': 'x'.repeat(256) }
    expect(pathsOf(await sendFile(api, id, 'name\n"cut off', malformed))).toEqual(['idempotency_key'])
    expect((await ended(api, id)).attributes.progress).toMatchObject({ created: 1 })
  })

  it('is 413 beyond IMPORT_MAX_MB, unpacked, and 404 for no job', async () => {
    const service = await ownService({ IMPORT_MAX_MB: '1' })
    const own = await newWorkspace(service)
    const id = await newImport(own.api)
    const large = `name\n${'x'.repeat(200)}\n`.repeat(6000)
    expect((await sendFile(own.api, id, large)).status).toBe(413)
    expect((await sendFile(own.api, id, gzipSync(large), { 'Content-Encoding': 'gzip' })).status).toBe(413)
    expect((await sendFile(own.api, '01kb8w4d5e6f7g8h9j0k1m2n3p', 'name\n')).status).toBe(404)
  })

  it('refuses gzip that unpacks to more than 100 times its size, beyond the first 4 MiB', async () => {
    const { api } = workspace
    const id = await newImport(api, { dry_run: true })
    const gzip = { 'Content-Encoding': 'gzip' }
    const answer = await sendFile(api, id, gzipSync(`name\n${'\n'.repeat(5_000_000)}`), gzip)
    expect(pathsOf(answer)).toEqual(['file'])
    expect(answer.body.message).toContain('at most 100 times is accepted. Send the file without gzip.')
    expect((await sendFile(api, id, gzipSync(`name\nSmall\n${'\n'.repeat(4_000_000)}`), gzip)).status).toBe(202)
    expect((await ended(api, id)).attributes.progress).toMatchObject({ rows: 1, created: 1 })
  })

  it('receives 2 files of a workspace at a time: more is 429, and other workspaces go on', async () => {
    const { api } = workspace
    const [first, second, third] = [await newImport(api), await newImport(api), await newImport(api)]
    const open = await Promise.all([first, second].map((id) => beginFile(api, id)))
    let refused = await sendFile(api, third, '')
    // An empty file is refused, too, as long as one of the others has no place yet.
    while (refused.status === 422) refused = await sendFile(api, third, '')
    expect([refused.status, refused.headers.get('Retry-After')]).toEqual([429, '1'])
    expect(refused.body.message).toContain('Too many files of the workspace are being received: at most 2 at once')
    const { api: other } = await newWorkspace()
    expect((await imported(other, 'name\nOther\n')).attributes.state).toBe('done')
    for (const socket of open) socket.destroy()
    let sent = await sendFile(api, third, 'name\nThird\n')
    while (sent.status === 429) sent = await sendFile(api, third, 'name\nThird\n')
    expect(sent.status, sent.text).toBe(202)
    expect((await ended(api, third)).attributes.progress).toMatchObject({ created: 1 })
    for (const id of [first, second]) await api.put(`/jobs/${id}/cancel`)
  })

  it('is parsed in another thread than requests', async () => {
    const service = await ownService()
    const { api } = await newWorkspace(service)
    const id = await newImport(api)
    // An unknown column: the job ends without reading the rows.
    const file = `unknown\n${`${','.repeat(500)}\n`.repeat(6000)}`
    const [thread, all] = [process.threadCpuUsage(), process.cpuUsage()]
    expect((await sendFile(api, id, file)).status).toBe(202)
    const [inThread, inAll] = [process.threadCpuUsage(thread), process.cpuUsage(all)]
    expect(inThread.user).toBeLessThan(inAll.user / 2)
    expect((await ended(api, id)).attributes.state).toBe('failed')
  })
})

/** Sends the head of a request with a file and a part of the body. */
async function beginFile(api: TestWorkspace['api'], id: string): Promise<Socket> {
  const { pathname, hostname, port } = new URL(`${api.base}/jobs/${id}/file`)
  const socket = connect(Number(port), hostname)
  await once(socket, 'connect')
  socket.write(`PUT ${pathname} HTTP/1.1\r\nHost: ${hostname}:${port}\r\nAuthorization: Bearer ${api.token}\r\n`)
  socket.write('Content-Type: text/csv\r\nContent-Length: 1000\r\n\r\nname\n')
  return socket
}

describe('a dry run', () => {
  it('checks everything, stores nothing, and can be run for real with the stored file', async () => {
    const { api } = workspace
    const total = async () => (await api.get('/companies?per_page=1')).body.meta.total
    const before = await total()
    const file = 'name,domains\nDry,dry.example\n,no.example\nTwice,dry.example\n'
    const dry = await imported(api, file, { dry_run: true, name: 'Try' })
    const progress = { rows: 3, done: 3, created: 1, updated: 0, unchanged: 0, failed: 2 }
    expect(dry.attributes).toMatchObject({ state: 'done', dry_run: true, progress, undoable_until: null })
    const taken = 'The Domains value dry.example is already taken by another record (row 1).'
    expect(await resultsOf(api, dry.id)).toMatchObject([{ outcome: 'created', id: null }, {}, { message: taken }])
    expect(await total()).toBe(before)
    const run = await api.put(`/jobs/${dry.id}/run`)
    expect(run.status, run.text).toBe(201)
    expect(run.headers.get('Location')).toBe(`${api.base}/jobs/${run.body.data.id}`)
    const real = await ended(api, run.body.data.id)
    expect(real.attributes).toMatchObject({ state: 'done', dry_run: false, name: 'Try', progress })
    expect(await total()).toBe(before + 1)
    expect(pathsOf(await api.put(`/jobs/${real.id}/run`))).toEqual(['dry_run'])
    const waiting = await newImport(api, { dry_run: true })
    expect(pathsOf(await api.put(`/jobs/${waiting}/run`))).toEqual(['state'])
    await api.put(`/jobs/${waiting}/cancel`)
  })
})
