import { describe, expect, it } from 'vitest'
import { archiveField, deleteField, restoreField } from '../../../src/schema/define.ts'
import type { Answered } from '../../api.ts'
import { declared, workspaceWithOwn } from '../../own-resource.ts'
import { testedResources } from '../../run-length.ts'
import type { TestWorkspace } from '../../workspace.ts'

/** Every way to write custom fields of a company. */
async function waysOf({ api }: TestWorkspace): Promise<((custom_fields: unknown) => Promise<Answered>)[]> {
  const match = { field: 'domains', value: 'acme.example' }
  const { id } = (await api.post('/companies/upsert', { match, name: 'Acme' })).body.data
  return [
    (custom_fields) => api.post('/companies', { name: 'Acme', custom_fields }),
    (custom_fields) => api.put(`/companies/${id}`, { custom_fields }),
    (custom_fields) => api.patch(`/companies/${id}`, { custom_fields }),
    (custom_fields) => api.post('/companies/upsert', { match, name: 'Acme', custom_fields }),
    (custom_fields) =>
      api.post('/companies/upsert', { match: { ...match, value: 'x.example' }, name: 'X', custom_fields }),
  ]
}

describe('4. Unknown, inactive or other resource’s codes: 422 on custom_fields naming each', () => {
  it.each(testedResources)('%s: with the accepted codes, and the nearest code where one is close', async (resource) => {
    const { api, field } = await workspaceWithOwn()
    await field(resource, { name: 'Industry', type: 'text' })
    const label = declared(resource).label
    const wrong = { industri: 'x', Industry: 'x', zzz: null, qqqqqqq: [] }
    const answer = await api.post(`/${resource}`, { [label]: 'Acme', custom_fields: { industry: 'x', ...wrong } })
    expect(answer.status).toBe(422)
    expect(Object.keys(answer.body.errors)).toEqual(['custom_fields'])
    const [message] = answer.body.errors.custom_fields
    expect(message).toContain('industri (did you mean industry?)')
    expect(message).toContain('Industry (did you mean industry?)')
    expect(message).toContain('zzz, qqqqqqq.')
    const { body } = await api.get(`/custom-fields?entity_type=${resource}`)
    const codes = body.data.map((one: { attributes: { code: string } }) => one.attributes.code)
    expect(message).toContain(`Accepted: ${codes.join(', ')}.`)
    expect((await api.get(`/${resource}`)).body.meta.total).toBe(0)
  })

  it('by create, update and both kinds of upsert, whatever the value is', async () => {
    const workspace = await workspaceWithOwn()
    const ways = await waysOf(workspace)
    const before = (await workspace.api.get('/companies')).body.data
    for (const write of ways) {
      for (const value of ['x', null, [], '']) {
        const answer = await write({ icp: true, domain: value })
        expect(answer.status).toBe(422)
        expect(answer.body.errors).toEqual({
          custom_fields: [expect.stringContaining('domain (did you mean domains?)')],
        })
      }
    }
    expect((await workspace.api.get('/companies')).body.data).toEqual(before)
  })

  it('the codes of another resource or another workspace', async () => {
    const [workspace, other] = [await workspaceWithOwn(), await workspaceWithOwn()]
    await other.field('companies', { name: 'Secret', type: 'text' })
    for (const write of await waysOf(workspace)) {
      const answer = await write({ job_title: 'x', emails: ['a@x.example'], secret: 'x' })
      expect(answer.body.errors).toEqual({ custom_fields: [expect.stringContaining('job_title, emails, secret.')] })
    }
  })

  it('the code of an inactive or a deleted field', async () => {
    const workspace = await workspaceWithOwn()
    const address = { entity_type: 'companies', code: 'icp' } as const
    const ways = await waysOf(workspace)
    const expectRefused = async () => {
      for (const write of ways) {
        const answer = await write({ icp: true })
        expect(answer.status).toBe(422)
        expect(answer.body.errors).toEqual({
          custom_fields: [expect.stringMatching(/: icp\..*Accepted: domains, linkedin\./)],
        })
      }
    }
    await archiveField(await workspace.scope(), address)
    await expectRefused()
    await restoreField(await workspace.scope(), address)
    expect((await ways[0]?.({ icp: true }))?.status).toBe(201)
    await archiveField(await workspace.scope(), address)
    await deleteField(await workspace.scope(), address)
    await expectRefused()
  })

  it('each of a hundred is named, and more are counted', async () => {
    const { api } = await workspaceWithOwn()
    const codes = Array.from({ length: 130 }, (_, index) => `nothing_like_it_${index}`)
    const custom_fields = Object.fromEntries(codes.map((code) => [code, 1]))
    const { body } = await api.post('/companies', { name: 'Acme', custom_fields })
    expect(Object.keys(body.errors)).toEqual(['custom_fields'])
    expect(body.errors.custom_fields[0]).toContain(`${codes.slice(0, 100).join(', ')} and 30 more.`)
  })

  it('names that objects have by nature are codes like any other', async () => {
    const { api } = await workspaceWithOwn()
    const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty']
    const values = names.map((name) => `"${name}":"x"`).join(',')
    const answer = await api.send('POST', '/companies', `{"name":"Acme","custom_fields":{${values}}}`)
    expect(answer.status).toBe(422)
    expect(answer.body.errors).toEqual({ custom_fields: [expect.stringContaining(names.join(', '))] })
  })

  it('together with all else that is wrong', async () => {
    const { api } = await workspaceWithOwn()
    const answer = await api.post('/companies', { name: '', custom_fields: { nope: 1, icp: 'yes', domains: ['x'] } })
    expect(answer.status).toBe(422)
    const paths = ['name', 'custom_fields', 'custom_fields.icp', 'custom_fields.domains.0']
    expect(Object.keys(answer.body.errors).sort()).toEqual(paths.sort())
    expect(answer.body.message).toMatch(/ \(and 3 more errors\)$/)
  })
})

describe('4. custom_fields that is no object: 422', () => {
  it.each([null, 'x', '', 0, true, [], [{ icp: true }]])('%j', async (value) => {
    const workspace = await workspaceWithOwn()
    for (const write of await waysOf(workspace)) {
      const answer = await write(value)
      expect(answer.status).toBe(422)
      expect(answer.body).toEqual({
        message: 'The custom_fields must be an object keyed by field code.',
        errors: { custom_fields: ['The custom_fields must be an object keyed by field code.'] },
      })
    }
  })

  it('an empty one changes nothing', async () => {
    const workspace = await workspaceWithOwn()
    for (const write of await waysOf(workspace)) expect((await write({})).status).toBeLessThan(300)
  })
})
