import { beforeAll, describe, expect, it } from 'vitest'
import { listAudit } from '../../../src/changes/audit-log.ts'
import type { Answered } from '../../api.ts'
import { made, problemsOf } from '../../records.ts'
import { expectOneEffect, keyed } from '../../same-key.ts'
import { newWorkspace, type TestWorkspace } from '../../workspace.ts'
import { follow, now, told } from '../changes/feed.ts'

let workspace: TestWorkspace
beforeAll(async () => {
  workspace = await newWorkspace()
})

const fields = '/schema/companies/fields'

function versionIn({ headers }: Answered): number {
  return Number(headers.get('x-schema-version'))
}

async function listed(code: string) {
  const { data } = (await workspace.api.get('/custom-fields?entity_type=companies&per_page=100')).body
  return data.find(({ attributes }: { attributes: { code: string } }) => attributes.code === code)
}

describe('sync 7. POST /v1/schema/{resource}/fields', () => {
  it('201, the definition as /v1/custom-fields shows it, with the new X-Schema-Version', async () => {
    const { api } = workspace
    const before = versionIn(await api.get('/user'))
    const options = [{ label: 'Gold', color: 'amber' }, { label: 'Silver' }]
    const created = await api.post(fields, { name: 'Tier', type: 'select', code: 'tier', options, required: false })
    expect([created.status, versionIn(created)]).toEqual([201, before + 1])
    expect(created.body).toEqual({ data: await listed('tier') })
    expect(created.body.data.attributes.options).toMatchObject([
      { label: 'Gold', color: 'amber' },
      { label: 'Silver', color: 'red' },
    ])
    const { updated_at } = created.body.data.attributes
    expect(created.headers.get('etag')).toMatch(new RegExp(`^"${updated_at}~[0-9a-f]{16}"$`))
    const labels = await api.post(fields, { name: 'Rank it', type: 'radio', options: ['A', 'B'] })
    expect(labels.body.data.attributes).toMatchObject({ code: 'rank_it', options: [{ label: 'A' }, { label: 'B' }] })
    const limits = { unique: true, multiple: true, max_values: 3, required: true }
    const mails = await api.post('/schema/notes/fields', { name: 'From', type: 'email', ...limits })
    expect(mails.body.data.attributes).toMatchObject({ entity_type: 'notes', ...limits })
  })

  it('what is wrong is refused with all problems, also unknown keys and parameters', async () => {
    const { api } = workspace
    const body = { name: '', type: 'txt', code: 'A', optins: [] }
    const problems = await problemsOf(api.post(`${fields}?dry_run=true`, body))
    expect(Object.keys(problems)).toEqual(['dry_run', 'optins', 'code', 'type', 'name'])
    expect(problems.type?.[0]).toContain('Did you mean text?')
    expect(Object.keys(await problemsOf(api.post(fields)))).toEqual(['body', 'type', 'name'])
    expect(await problemsOf(api.post(fields, { name: 'domains', type: 'text' }))).toHaveProperty('name')
  })

  it('of two creates with the same code at the same time one is refused', async () => {
    const { api } = workspace
    const create = (name: string) => api.post(fields, { name, type: 'text', code: 'same' })
    const answers = await Promise.all([create('One of them'), create('The other')])
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 422])
    expect(answers.find(({ status }) => status === 422)?.body.errors.code[0]).toContain('is taken by the field')
  })

  it('an Idempotency-Key takes effect once', async () => {
    const { api } = workspace
    const send = () => api.post(fields, { name: 'Keyed', type: 'text' }, keyed('field 1'))
    await expectOneEffect([send(), send()])
    const other = api.post(fields, { name: 'Keyed too', type: 'text' }, keyed('field 1'))
    expect(await problemsOf(other)).toHaveProperty('idempotency_key')
  })
})

describe('sync 7. PUT, PATCH /v1/schema/{resource}/fields/{code}', () => {
  it('changes what part one allows; type and code: 422', async () => {
    const { api } = workspace
    await api.post(fields, { name: 'Size', type: 'select', options: ['S', 'M'] })
    const put = await api.put(`${fields}/size`, { name: 'Sizes', options: ['M', 'L'] })
    expect([put.status, put.body.data]).toEqual([200, await listed('size')])
    const patch = await api.patch(`${fields}/size`, { description: 'Of shirts.', position: 1 })
    expect(patch.body.data.attributes).toMatchObject({ name: 'Sizes', description: 'Of shirts.', position: 1 })
    const refused = await problemsOf(api.put(`${fields}/size?x=1`, { type: 'radio', code: 'other', nme: 'x' }))
    expect(Object.keys(refused)).toEqual(['x', 'nme', 'code', 'type'])
    const back = await api.put(`${fields}/size`, patch.body.data.attributes)
    expect([back.status, back.body, versionIn(back)]).toEqual([200, patch.body, versionIn(patch)])
    expect((await api.put(`${fields}/siez`, { type: 1 })).body.message).toContain('Did you mean size?')
    expect((await api.put(`${fields}/siez`, {})).status).toBe(404)
  })

  it('a field that becomes unique counts the values that records share', async () => {
    const { api } = workspace
    await api.post(fields, { name: 'Number', type: 'text' })
    for (const number of ['1', '1', '2']) await made(api, 'companies', { custom_fields: { number } })
    expect((await api.put(`${fields}/number`, { unique: true })).body.meta).toEqual({ duplicates: 1 })
    expect((await api.put(`${fields}/number`, { name: 'No.' })).body.meta).toBeUndefined()
  })

  it('If-Match works on fields by their updated_at', async () => {
    const { api } = workspace
    const { body, headers } = await api.post(fields, { name: 'Guarded', type: 'select', options: ['A'] })
    const { updated_at, options } = body.data.attributes
    const path = `${fields}/guarded`
    const when = (tag: string) => ({ headers: { 'If-Match': tag } })
    const stale = when('"2020-01-01T00:00:00.000Z"')
    for (const refused of [
      await api.put(path, { name: '' }, stale),
      await api.patch(path, { name: 'x' }, stale),
      await api.put(`${path}/restore`, undefined, stale),
      await api.delete(path, stale),
      await api.delete(`${path}?permanently=true`, stale),
      await api.post(`${path}/options`, { label: 'B' }, stale),
      await api.put(`${path}/options/${options[0].id}`, { label: 'B' }, stale),
      await api.delete(`${path}/options/${options[0].id}`, stale),
    ]) {
      expect([refused.status, refused.body.updated_at]).toEqual([412, updated_at])
      expect(refused.body.message).toContain(`was last changed at ${updated_at}`)
      expect(refused.headers.get('etag')).toBe(headers.get('etag'))
    }
    expect(await problemsOf(api.put(path, { name: '' }, when(updated_at)))).toHaveProperty('if_match')
    expect((await api.put(`${fields}/nothing`, {}, when('x'))).status).toBe(404)
    expect((await api.put(path, { name: 'One' }, when(headers.get('etag') ?? ''))).status).toBe(200)
    expect((await api.put(path, { name: 'Two' }, when(`"${updated_at}"`))).status).toBe(412)
    expect((await api.delete(path, when('*'))).status).toBe(204)
  })
})

describe('sync 7. DELETE archives, 204; restore; permanently=true deletes an archived field', () => {
  it('the values are kept until then', async () => {
    const { api } = workspace
    await api.post(fields, { name: 'Old', type: 'text' })
    const { id } = await made(api, 'companies', { custom_fields: { old: 'x' } })
    const shown = async () => (await api.get(`/companies/${id}`)).body.data.attributes.custom_fields.old
    const problems = await problemsOf(api.delete(`${fields}/old?permanently=true`))
    expect(problems).toEqual({ code: ['The field old must be archived before it can be deleted.'] })
    expect(Object.keys(await problemsOf(api.delete(`${fields}/old?permanently=yes&force=1`)))).toEqual([
      'force',
      'permanently',
    ])
    const archived = await api.delete(`${fields}/old`)
    expect([archived.status, archived.text, await shown()]).toEqual([204, '', undefined])
    const again = await api.delete(`${fields}/old?permanently=false`)
    expect([again.status, versionIn(again)]).toEqual([204, versionIn(archived)])
    expect((await problemsOf(api.put(`${fields}/old`, { name: 'New' }))).code?.[0]).toContain('is archived')
    const restored = await api.put(`${fields}/old/restore`)
    expect([restored.status, restored.body.data, await shown()]).toEqual([200, await listed('old'), 'x'])
    expect((await api.put(`${fields}/old/restore`, {})).body).toEqual(restored.body)
    expect(Object.keys(await problemsOf(api.put(`${fields}/old/restore?x=1`, { y: 1 })))).toEqual(['x', 'y'])
    await api.delete(`${fields}/old`)
    expect((await api.delete(`${fields}/old?permanently=true`)).status).toBe(204)
    expect((await api.put(`${fields}/old/restore`)).status).toBe(404)
    expect((await problemsOf(api.delete(`${fields}/domains`))).code?.[0]).toContain('is a system field')
  })
})

describe('sync 7. PUT /v1/schema/{resource}/order', () => {
  it('takes all active codes', async () => {
    const { api } = workspace
    const path = '/schema/tasks/order'
    const codes = ['due_date', 'status', 'description', 'priority']
    const { status, body } = await api.put(path, { codes })
    expect([status, body.data.map((one: { attributes: { code: string } }) => one.attributes.code)]).toEqual([
      200,
      codes,
    ])
    expect(body.data[0]).toMatchObject({ type: 'custom_fields', attributes: { position: 1 } })
    const problems = await problemsOf(api.put(`${path}?x=1`, { codes: ['status', 'status', 'stats', 1], more: 1 }))
    expect(Object.keys(problems)).toEqual(['x', 'more', 'codes.1', 'codes.2', 'codes.3', 'codes'])
    expect(problems['codes.2']?.[0]).toContain('Did you mean status?')
    expect(problems.codes).toEqual(['The codes must name all active fields. Missing: due_date, description, priority.'])
    expect(Object.keys(await problemsOf(api.put(path, {})))).toEqual(['codes'])
  })
})

describe('sync 7. Definitions are written by owners and admins only', () => {
  it('others get 403, which says so; abilities are as in the table', async () => {
    const { token, member } = workspace
    const admin = await member('admin')
    const calls: [ability: 'create' | 'update' | 'delete', method: string, path: string, status: number][] = [
      ['create', 'POST', fields, 422],
      ['update', 'PUT', `${fields}/nothing`, 404],
      ['update', 'PATCH', `${fields}/nothing`, 404],
      ['update', 'PUT', `${fields}/nothing/restore`, 404],
      ['delete', 'DELETE', `${fields}/nothing`, 404],
      ['create', 'POST', `${fields}/nothing/options`, 404],
      ['update', 'PUT', `${fields}/nothing/options/x`, 404],
      ['delete', 'DELETE', `${fields}/nothing/options/x`, 404],
      ['update', 'PUT', '/schema/notes/order', 422],
    ]
    const ordinary = await token({ user: await member('member') })
    const abilities = ['read', 'create', 'update', 'delete'] as const
    for (const [ability, method, path, status] of calls) {
      const refused = await ordinary.send(method, path, '{}')
      const role = 'Your role in this workspace (member) does not allow you to change custom fields.'
      expect([refused.status, refused.body.message]).toEqual([403, `${role} Owners and admins can.`])
      const lacking = await token({ user: admin, abilities: abilities.filter((one) => one !== ability) })
      expect((await lacking.send(method, path, '{}')).body.message).toContain(`"${ability}"`)
      const enough = await token({ user: admin, abilities: [ability] })
      expect((await enough.send(method, path, '{}')).status).toBe(status)
    }
  })
})

describe('sync 7. Every change of definitions is in the feed and in the audit log', () => {
  it('as the same change in the application', async () => {
    const { api } = workspace
    const cursor = await now(workspace)
    await api.post(fields, { name: 'Told', type: 'select', options: ['A'] })
    await api.put(`${fields}/told`, { name: 'Told once' })
    const { id } = (await api.post(`${fields}/told/options`, { label: 'B' })).body.data
    await api.put(`${fields}/told/options/${id}`, { label: 'C' })
    await api.post(`${fields}/told/options`, { label: 'c' })
    await api.delete(`${fields}/told/options/${id}`)
    await api.delete(`${fields}/told`)
    await api.put(`${fields}/told/restore`)
    await api.delete(`${fields}/told`)
    await api.delete(`${fields}/told?permanently=true`)
    const { entries } = await follow(workspace, cursor)
    const options = 'updated custom_fields options'
    expect(entries.map(told)).toEqual([
      'created custom_fields',
      'updated custom_fields name',
      options,
      options,
      options,
      'deleted custom_fields',
      'restored custom_fields',
      'deleted custom_fields',
    ])
    expect(entries.every(({ attributes }) => attributes.origin?.own === true)).toBe(true)
    const { data } = await listAudit(await workspace.scope(), { per_page: 9 })
    expect(data.map(({ action }) => action).toReversed()).toEqual([
      'create',
      'update',
      'update',
      'update',
      'update',
      'archive',
      'restore',
      'archive',
      'delete',
    ])
  })
})
