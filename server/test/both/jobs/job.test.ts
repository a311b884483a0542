import { setTimeout } from 'node:timers/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import { newWorkspace, type TestWorkspace } from '../../workspace.ts'
import { ended, imported, newImport, pathsOf, resultsOf, sendFile } from './jobs.ts'

let workspace: TestWorkspace

beforeAll(async () => {
  workspace = await newWorkspace()
})

const body = { type: 'import', resource: 'companies', format: 'csv', mode: 'create' }

describe('POST /v1/jobs', () => {
  it('makes a job that waits, with its address', async () => {
    const { api, owner } = workspace
    const sent = {
      ...body,
      mode: 'upsert',
      match: 'domains',
      mapping: { Site: 'CUSTOM_FIELDS.domains', x: null },
      name: 'Old',
    }
    const made = await api.post('/jobs', sent)
    expect(made.status, made.text).toBe(201)
    const { id, type, attributes } = made.body.data
    expect(made.headers.get('Location')).toBe(`${api.base}/jobs/${id}`)
    expect(type).toBe('jobs')
    expect(Object.keys(attributes)).toEqual([
      'type',
      'resource',
      'state',
      'dry_run',
      'mode',
      'match',
      'mapping',
      'name',
      'progress',
      'message',
      'created_at',
      'started_at',
      'finished_at',
      'undoable_until',
      'undo_of',
      'creator_id',
    ])
    expect(attributes).toMatchObject({
      type: 'import',
      resource: 'companies',
      state: 'waiting',
      dry_run: false,
      mode: 'upsert',
      match: 'domains',
      mapping: { Site: 'custom_fields.domains', x: null },
      name: 'Old',
      progress: { rows: 0, done: 0, created: 0, updated: 0, unchanged: 0, failed: 0 },
      message: null,
      started_at: null,
      finished_at: null,
      undoable_until: null,
      undo_of: null,
      creator_id: owner.id,
    })
    expect((await api.get(`/jobs/${id}`)).body.data).toEqual(made.body.data)
    await api.put(`/jobs/${id}/cancel`)
  })

  it.each([
    [{}, ['type', 'resource', 'format', 'mode']],
    [{ ...body, type: 'export' }, ['type']],
    [{ ...body, resource: 'firms' }, ['resource']],
    [{ ...body, format: 'xlsx' }, ['format']],
    [{ ...body, mode: 'replace' }, ['mode']],
    [{ ...body, match: 'domains' }, ['match']],
    [{ ...body, mode: 'update' }, ['match']],
    [{ ...body, mode: 'upsert', match: 'name' }, ['match']],
    [{ ...body, mode: 'upsert', match: 'external_ids.Not Good' }, ['match']],
    [{ ...body, mapping: [] }, ['mapping']],
    [{ ...body, mapping: { a: 'nmae' } }, ['mapping.a']],
    [{ ...body, mapping: { a: 'name', b: 'name' } }, ['mapping.b']],
    [{ ...body, format: 'ndjson', mapping: { a: 'name' } }, ['mapping']],
    [{ ...body, blank: 'drop', dates: 'ymd', decimal: ';' }, ['blank', 'dates', 'decimal']],
    [{ ...body, delimiter: ';;' }, ['delimiter']],
    [{ ...body, delimiter: '"' }, ['delimiter']],
    [{ ...body, create_options: 'yes', dry_run: 1 }, ['create_options', 'dry_run']],
    [{ ...body, name: 'x'.repeat(256) }, ['name']],
    [{ ...body, colour: 'red' }, ['colour']],
  ])('refuses what it does not know: %#', async (sent, paths) => {
    const answer = await workspace.api.post('/jobs', sent)
    expect(answer.status, answer.text).toBe(422)
    expect(pathsOf(answer).toSorted()).toEqual([...paths].toSorted())
  })

  it('names the nearest target', async () => {
    const { body: answer } = await workspace.api.post('/jobs', { ...body, mapping: { a: 'nmae' } })
    expect(answer.message).toMatch(/"nmae" is not one of them\. Did you mean name\?$/)
  })

  it('needs the abilities create and update, and a role that may write', async () => {
    for (const abilities of [['read', 'create'] as const, ['read', 'update'] as const]) {
      const token = await workspace.token({ abilities })
      expect((await token.post('/jobs', body)).status).toBe(403)
    }
    const viewer = await workspace.token({ user: await workspace.member('viewer') })
    expect((await viewer.post('/jobs', body)).status).toBe(403)
  })

  it('lets only owners and admins create options', async () => {
    const token = await workspace.token({ user: await workspace.member('member') })
    expect((await token.post('/jobs', { ...body, create_options: true })).status).toBe(403)
  })
})

describe('GET /v1/jobs', () => {
  it('shows a member their own jobs, and owners and admins all', async () => {
    const { api } = workspace
    const member = await workspace.token({ user: await workspace.member('member') })
    const admin = await workspace.token({ user: await workspace.member('admin') })
    const id = await newImport(member)
    const foreign = await newImport(api)
    const listed = async (token: typeof api) =>
      (await token.get('/jobs?per_page=2')).body.data.map((job: { id: string }) => job.id)
    expect(await listed(member)).toEqual([id])
    expect(await listed(api)).toEqual([foreign, id])
    expect(await listed(admin)).toEqual([foreign, id])
    for (const path of ['', '/results']) expect((await member.get(`/jobs/${foreign}${path}`)).status).toBe(404)
    for (const path of ['run', 'cancel', 'undo']) {
      expect((await member.put(`/jobs/${foreign}/${path}`)).status).toBe(404)
    }
    expect((await sendFile(member, foreign, 'name\nA\n')).status).toBe(404)
    expect((await admin.put(`/jobs/${id}/cancel`)).status).toBe(200)
    await api.put(`/jobs/${foreign}/cancel`)
  })

  it('takes nothing that it does not know', async () => {
    const { api } = workspace
    expect(pathsOf(await api.get('/jobs?state=done&wait=31'))).toEqual(['state', 'wait'])
    const id = await newImport(api)
    expect(pathsOf(await api.get(`/jobs/${id}?page=1`))).toEqual(['page'])
    expect(pathsOf(await api.get(`/jobs/${id}/results?outcome=bad&format=xml&x=1`))).toEqual(['x', 'format', 'outcome'])
    await api.put(`/jobs/${id}/cancel`)
    expect((await api.get('/jobs/01kb8w4d5e6f7g8h9j0k1m2n3p')).status).toBe(404)
    expect((await api.get('/jobs/nothing')).status).toBe(404)
  })

  it('waits until the state or the progress changes, at most as long as asked', async () => {
    const { api } = workspace
    const id = await newImport(api)
    const begun = performance.now()
    expect((await api.get(`/jobs/${id}?wait=1`)).body.data.attributes.state).toBe('waiting')
    expect(performance.now() - begun).toBeGreaterThan(900)
    const [one, list] = [api.get(`/jobs/${id}?wait=20`), api.get('/jobs?wait=20&per_page=1')]
    // Both have been read once by then.
    await setTimeout(300)
    await api.put(`/jobs/${id}/cancel`)
    expect((await one).body.data.attributes.state).toBe('cancelled')
    expect((await list).body.data[0].attributes.state).toBe('cancelled')
    // Nothing changes after the end.
    const again = performance.now()
    await api.get(`/jobs/${id}?wait=20`)
    expect(performance.now() - again).toBeLessThan(10_000)
  })
})

it('a workspace has at most 5 jobs that are waiting, queued or running', async () => {
  const { api } = await newWorkspace()
  const ids = []
  for (let count = 0; count < 5; count++) ids.push(await newImport(api))
  const more = await api.post('/jobs', body)
  expect(more.status).toBe(429)
  expect(more.headers.get('Retry-After')).toBe('5')
  await api.put(`/jobs/${ids[0]}/cancel`)
  expect((await api.post('/jobs', body)).status).toBe(201)
})

describe('PUT /v1/jobs/{id}/cancel', () => {
  it('ends a job that waits, and can be repeated', async () => {
    const { api } = workspace
    const id = await newImport(api)
    const cancelled = await api.put(`/jobs/${id}/cancel`)
    expect(cancelled.status, cancelled.text).toBe(200)
    expect(cancelled.body.data.attributes).toMatchObject({ state: 'cancelled', undoable_until: null })
    expect(cancelled.body.data.attributes.finished_at).not.toBeNull()
    expect((await api.put(`/jobs/${id}/cancel`)).body).toEqual(cancelled.body)
    const file = await sendFile(api, id, 'name\nA\n')
    expect(file.status).toBe(422)
    expect(pathsOf(file)).toEqual(['state'])
  })

  it('refuses a job that is done', async () => {
    const { api } = workspace
    const job = await imported(api, 'name\nDone\n')
    expect(pathsOf(await api.put(`/jobs/${job.id}/cancel`))).toEqual(['state'])
    expect((await ended(api, job.id)).attributes.state).toBe('done')
    expect(await resultsOf(api, job.id)).toHaveLength(1)
  })

  it('takes no parameters and no body', async () => {
    const { api } = workspace
    const id = await newImport(api)
    for (const action of ['run', 'cancel', 'undo']) {
      expect((await api.put(`/jobs/${id}/${action}?now=1`)).status).toBe(422)
      expect((await api.put(`/jobs/${id}/${action}`, { force: true })).status).toBe(422)
    }
    await api.put(`/jobs/${id}/cancel`)
  })
})
