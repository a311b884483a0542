import { beforeAll, describe, expect, it } from 'vitest'
import type { Api } from '../../api.ts'
import { stock } from '../../lists.ts'
import { problemsOf } from '../../records.ts'
import { connectTo } from '../../tool-client.ts'
import { newWorkspace, type TestWorkspace } from '../../workspace.ts'

let workspace: TestWorkspace
let api: Api
let acme: string
let ada: string
let email: string
let member: string

const byDomain = (value: string) => ({ match: { field: 'domains', value } })
const byId = (value: string) => ({ match: { field: 'external_ids.crm', value } })

beforeAll(async () => {
  workspace = await newWorkspace()
  api = workspace.api
  const domains = ['acme.com']
  acme = (await api.post('/companies', { name: 'Acme', custom_fields: { domains } })).body.data.id
  ada = (await api.post('/people', { name: 'Ada', external_ids: { crm: '42' } })).body.data.id
  const person = await workspace.member('member')
  email = person.email
  member = person.id
})

describe('sync 4. References by something other than the id', () => {
  it('create, update and upsert accept a match, by the rules of upsert, and members by email in any letter case', async () => {
    const made = await api.post('/opportunities', {
      name: 'Deal',
      company_id: byDomain('https://WWW.Acme.com/'),
      contact_id: byId('42'),
    })
    expect(made.status, made.text).toBe(201)
    expect(made.body.data.attributes).toMatchObject({ company_id: acme, contact_id: ada })
    const owned = await api.put(`/companies/${acme}`, { account_owner_id: { email: email.toUpperCase() } })
    expect(owned.body.data.attributes.account_owner_id).toBe(member)
    const person = await api.post('/people/upsert', {
      name: 'Bo',
      match: { field: 'emails', value: 'bo@acme.com' },
      company_id: byDomain('acme.com'),
    })
    expect(person.body.data.attributes.company_id).toBe(acme)
  })

  it('items of lists accept them, next to ids and to each other', async () => {
    const task = await api.post('/tasks?include=companies,people,assignees', {
      title: 'Call',
      company_ids: [byDomain('acme.com'), acme],
      people_ids: [byId('42')],
      assignee_ids: [{ email }],
    })
    expect(task.status, task.text).toBe(201)
    const { companies, people, assignees } = task.body.data.relationships
    expect(
      [companies.data, people.data, assignees.data].map((list) => list.map((one: { id: string }) => one.id)),
    ).toEqual([[acme], [ada], [member]])
  })

  it('a batch and the MCP server accept them', async () => {
    const operations = [{ op: 'create', data: { name: 'Cy', company_id: byDomain('acme.com') } }]
    const { body } = await api.post('/people/batch', { operations, return: 'record' })
    expect(body.data[0].data.attributes.company_id).toBe(acme)
    const tools = await connectTo(workspace)
    const attributes = { name: 'Di', company_id: byDomain('acme.com') }
    const made = await tools.call('create_record', { resource: 'people', attributes })
    expect(made).toMatchObject({ data: { attributes: { company_id: acme } } })
    const many = { operations: [{ op: 'create', resource: 'people', data: attributes }], dry_run: true }
    const tried = await tools.call('batch_records', { ...many, return: 'record' })
    expect(tried).toMatchObject({ data: [{ status: 201, id: null, data: { attributes: { company_id: acme } } }] })
  })

  it('loser_ids accept them', async () => {
    const winner = (await api.post('/companies', { name: 'W' })).body.data.id
    await api.post('/companies', { name: 'L', external_ids: { crm: 'l' } })
    expect((await api.put(`/companies/${winner}/merge`, { loser_ids: [byId('l')] })).status).toBe(200)
    const errors = await problemsOf(api.put(`/companies/${winner}/merge`, { loser_ids: [byId('none')] }))
    expect(Object.keys(errors)).toEqual(['loser_ids.0'])
  })

  it('no record holds the value: 422 at that path; several: 422 naming them', async () => {
    const errors = await problemsOf(
      api.post('/tasks', {
        title: 'T',
        company_ids: [byDomain('acme.com'), byDomain('none.example')],
        people_ids: [byId('none')],
        assignee_ids: [{ email: 'nobody@none.example' }],
      }),
    )
    expect(Object.keys(errors).sort()).toEqual(['assignee_ids.0', 'company_ids.1', 'people_ids.0'])
    const domains = ['twice.example']
    const twins = await stock(workspace, 'companies', [
      { name: 'One', custom_fields: { domains } },
      { name: 'Two', custom_fields: { domains } },
    ])
    const several = await problemsOf(api.post('/people', { name: 'P', company_id: byDomain('twice.example') }))
    for (const id of twins) expect(several.company_id?.[0]).toContain(id)
  })

  it.each([
    ['an unknown field', { match: { field: 'name', value: 'x' } }, 'company_id.match.field'],
    ['no value', { match: { field: 'domains' } }, 'company_id.match.value'],
    ['two forms', { match: { field: 'domains', value: 'acme.com' }, id: 'x' }, 'company_id'],
    ['an email address for a record', { email: 'a@b.example' }, 'company_id'],
    ['a lid outside of a batch', { lid: 'x' }, 'company_id'],
  ])('%s is 422', async (_what, company_id, path) => {
    expect(Object.keys(await problemsOf(api.post('/people', { name: 'P', company_id })))).toEqual([path])
  })
})
