import { beforeAll, describe, expect, it } from 'vitest'
import { gone, made } from '../../records.ts'
import { newWorkspace, type TestWorkspace } from '../../workspace.ts'
import { ended, imported, newImport, pathsOf, resultsOf } from './jobs.ts'

let workspace: TestWorkspace

beforeAll(async () => {
  workspace = await newWorkspace()
})

/** Everything of all records, without the times of their changes. */
async function everything(type: string): Promise<unknown[]> {
  const text = await fetch(`${workspace.api.base}/${type}/export`, {
    headers: { Authorization: `Bearer ${workspace.api.token}` },
  }).then((answer) => answer.text())
  return text.split('\n').flatMap((line) => {
    const { type: kind, attributes, ...rest } = line === '' ? { type: 'end' } : JSON.parse(line)
    if (kind === 'end') return []
    const { updated_at: _, ...shown } = attributes
    return [{ ...rest, ...shown }]
  })
}

async function undone(id: string) {
  const { api } = workspace
  const undo = await api.put(`/jobs/${id}/undo`)
  expect(undo.status, undo.text).toBe(201)
  expect(undo.headers.get('Location')).toBe(`${api.base}/jobs/${undo.body.data.id}`)
  return ended(api, undo.body.data.id)
}

describe('PUT /v1/jobs/{id}/undo', () => {
  it('deletes what the import created and reverts what it changed, change by change', async () => {
    const { api, owner } = workspace
    await workspace.field('tasks', { name: 'Level', type: 'select', options: ['Low', 'High'] })
    await workspace.field('tasks', { name: 'Code', type: 'text', unique: true })
    const company = await made(api, 'companies', { name: 'Kept' })
    const other = await made(api, 'companies', { name: 'Other' })
    await made(api, 'tasks', {
      title: 'One',
      company_ids: [company.id],
      assignee_ids: [owner.id],
      external_ids: { crm: ['1', '2'], erp: 'x' },
      custom_fields: { code: 'one', level: 'Low' },
    })
    await made(api, 'tasks', { title: 'Two', custom_fields: { code: 'two' } })
    const before = await everything('tasks')
    const file = [
      'title,Code,Level,company_ids,external_ids.crm,assignee_ids',
      `Changed,one,High,${other.id},3,`,
      `New,new,Low,${company.id},4,${owner.email}`,
      `Changed again,one,Low,${company.id};${other.id},5,`,
      'Two,two,,,,',
      'New again,new,High,,6,',
    ]
    const job = await imported(api, file.join('\n'), { resource: 'tasks', mode: 'upsert', match: 'code' })
    expect(job.attributes.progress).toMatchObject({ created: 1, updated: 3, unchanged: 1, failed: 0 })
    expect(job.attributes.undoable_until).toBe(
      new Date(Date.parse(String(job.attributes.finished_at)) + 30 * 86_400_000).toISOString(),
    )
    expect(await everything('tasks')).not.toEqual(before)
    const undo = await undone(job.id)
    expect(undo.attributes).toMatchObject({
      type: 'undo',
      state: 'done',
      undo_of: job.id,
      resource: 'tasks',
      mode: null,
      undoable_until: null,
      progress: { rows: 4, done: 4, created: 0, updated: 4, unchanged: 0, failed: 0 },
    })
    expect(await everything('tasks')).toEqual(before)
    const again = await api.put(`/jobs/${job.id}/undo`)
    expect(again.status).toBe(200)
    expect(again.body.data).toEqual(undo)
    expect(pathsOf(await api.put(`/jobs/${undo.id}/undo`))).toEqual(['type'])
  })

  it('leaves what was changed since then, and reports it as failed', async () => {
    const { api } = workspace
    const old = await made(api, 'people', { name: 'Old', external_ids: { crm: 'old' } })
    const lost = await made(api, 'people', { name: 'Lost', external_ids: { crm: 'lost' } })
    const file = 'name,external_ids.crm\nChanged,old\nChanged,lost\nA,a\nB,b\nC,c\n'
    const job = await imported(api, file, { resource: 'people', mode: 'upsert', match: 'external_ids.crm' })
    const [, , a, b] = await resultsOf(api, job.id)
    await api.patch(`/people/${old.id}`, { name: 'By hand' })
    await gone(api, 'people', lost.id)
    await api.patch(`/people/${a?.id}`, { name: 'A by hand' })
    await gone(api, 'people', b?.id ?? '')
    const undo = await undone(job.id)
    expect(undo.attributes.progress).toEqual({ rows: 5, done: 5, created: 0, updated: 1, unchanged: 1, failed: 3 })
    const results = await resultsOf(api, undo.id)
    expect(results.map(({ row, outcome, message }) => [row, outcome, message])).toEqual([
      [1, 'failed', expect.stringContaining('The name was changed again at ')],
      [2, 'failed', `The person ${lost.id} is deleted. Restore it first.`],
      [3, 'failed', expect.stringContaining(`The person ${a?.id} was changed again at `)],
      [4, 'unchanged', null],
      [5, 'updated', null],
    ])
    const { body } = await api.get('/people?sort=name')
    expect(body.data.map((one: { attributes: { name: string } }) => one.attributes.name)).toEqual([
      'A by hand',
      'By hand',
    ])
  })

  it('undoes what took values over from each other, the last first', async () => {
    const { api } = workspace
    const one = await made(api, 'companies', { name: 'X', external_ids: { n: '1' } })
    const two = await made(api, 'companies', { name: 'Y', external_ids: { n: '2' } })
    const file = `id,external_ids.n\n${one.id},3\n${two.id},1\n`
    const job = await imported(api, file, { mode: 'update', match: 'id' })
    expect((await undone(job.id)).attributes.progress).toMatchObject({ updated: 2, failed: 0 })
    const { body } = await api.get(`/companies/${two.id}?include=externalIds`)
    expect(body.data.attributes.external_ids).toEqual({ n: ['2'] })
  })

  it('is the undo of all changes of the job: either marks them as undone for the other', async () => {
    const { api } = workspace
    const old = await made(api, 'people', { name: 'Old', external_ids: { both: 'old' } })
    const file = 'name,external_ids.both\nNew,old\nA,a\nB,b\nNewer,old\n'
    const job = await imported(api, file, { resource: 'people', mode: 'upsert', match: 'external_ids.both' })
    const [, a, b] = await resultsOf(api, job.id)
    const changes = async () => {
      const { body } = await api.get(`/people/${old.id}/history`)
      return body.data.map(({ id }: { id: string }) => id)
    }
    const [newer, first] = await changes()
    const alone = await api.put(`/changes/${a?.id}/undo`)
    expect((await api.put(`/changes/${newer}/undo`)).status).toBe(200)
    // Another value of the record is no concern of the undo.
    await api.patch(`/people/${old.id}`, { custom_fields: { job_title: 'CEO' } })
    const undo = await undone(job.id)
    expect(undo.attributes.progress).toEqual({ rows: 4, done: 4, created: 0, updated: 2, unchanged: 2, failed: 0 })
    const { name, custom_fields } = (await api.get(`/people/${old.id}`)).body.data.attributes
    expect([name, custom_fields.job_title]).toEqual(['Old', 'CEO'])
    const [undoing, , , , of] = await changes()
    expect(of).toBe(first)
    const again = await api.put(`/changes/${first}/undo`)
    expect([again.status, again.headers.get('X-Change-Id')]).toEqual([200, undoing])
    const deleted = await api.put(`/changes/${a?.id}/undo`)
    expect([deleted.status, deleted.headers.get('X-Change-Id')]).toEqual([204, alone.headers.get('X-Change-Id')])
    expect((await api.get(`/people/${b?.id}`)).status).toBe(404)
    const entry = (await api.get(`/people/${old.id}/history`)).body.data[0].attributes
    expect(entry).toMatchObject({ action: 'undone', undo_of: first, origin: { source: 'import' } })
  })

  it('needs the abilities update and delete, an import that has ended, and something to undo', async () => {
    const { api } = workspace
    const job = await imported(api, 'name\nUndo me\n')
    for (const abilities of [['update'] as const, ['delete'] as const]) {
      expect((await (await workspace.token({ abilities })).put(`/jobs/${job.id}/undo`)).status).toBe(403)
    }
    const id = await newImport(api)
    expect(pathsOf(await api.put(`/jobs/${id}/undo`))).toEqual(['state'])
    await api.put(`/jobs/${id}/cancel`)
    expect(pathsOf(await api.put(`/jobs/${id}/undo`))).toEqual(['job'])
    const dry = await imported(api, 'name\nDry\n', { dry_run: true })
    expect(pathsOf(await api.put(`/jobs/${dry.id}/undo`))).toEqual(['dry_run'])
  })
})
