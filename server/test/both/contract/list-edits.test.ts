import { beforeAll, describe, expect, it } from 'vitest'
import type { Answered } from '../../api.ts'
import { type EveryName, everyResource, workspaceWithOwn } from '../../own-resource.ts'
import { gone, made, madeIds, NOWHERE, problemsOf } from '../../records.ts'
import { testedResources } from '../../run-length.ts'
import type { TestWorkspace } from '../../workspace.ts'
import { imported, resultsOf } from '../jobs/jobs.ts'

let workspace: TestWorkspace

/** For each type of list: three values as they are read, and the first in another spelling. */
const lists: Readonly<Record<string, { rest?: object; values: readonly [string, string, string]; spelled: string }>> = {
  'tags-input': { values: ['Alpha', 'beta', 'gamma'], spelled: 'ALPHA' },
  email: {
    rest: { multiple: true },
    values: ['Ada@x.example', 'b@x.example', 'c@x.example'],
    spelled: 'ada@X.example',
  },
  phone: {
    rest: { multiple: true },
    values: ['+14155550100', '+14155550101', '+14155550102'],
    spelled: '+1 415 555 0100',
  },
  link: {
    rest: { multiple: true },
    values: ['https://x.example/a', 'https://x.example/b', 'https://x.example/c'],
    spelled: 'X.example/A/',
  },
  domain: {
    rest: { multiple: true },
    values: ['a.example', 'b.example', 'c.example'],
    spelled: 'https://www.A.example/x',
  },
  'checkbox-list': { rest: { options: ['One', 'Two', 'Three'] }, values: ['One', 'Two', 'Three'], spelled: 'one' },
  'multi-select': { rest: { options: ['One', 'Two', 'Three'] }, values: ['One', 'Two', 'Three'], spelled: ' ONE' },
}

const codeOf = (type: string) => type.replace('-', '_')

beforeAll(async () => {
  workspace = await workspaceWithOwn()
  for (const resource of everyResource) {
    for (const [type, { rest }] of Object.entries(lists)) {
      await workspace.field(resource, { name: codeOf(type), code: codeOf(type), type, ...rest })
    }
    await workspace.field(resource, { name: 'Key', type: 'tags-input', unique: true })
  }
})

const labelsOf = (value: unknown) =>
  (value as (string | { label: string })[]).map((one) => (typeof one === 'string' ? one : one.label))

/** The values of a field as a write answered them. */
function valuesIn(answer: Answered, code: string): string[] {
  expect([200, 201], answer.text).toContain(answer.status)
  return labelsOf(answer.body.data.attributes.custom_fields[code])
}

describe.each(testedResources)('additions 3. %s', (resource) => {
  it.each(Object.entries(lists))(
    'a list of %s: $remove first, then $add at the end, by match key',
    async (type, { values: [one, two, three], spelled }) => {
      const { api } = workspace
      const code = codeOf(type)
      const { id } = await made(api, resource, { custom_fields: { [code]: [one, two] } })
      const edit = async (sent: object) =>
        valuesIn(await api.patch(`/${resource}/${id}`, { custom_fields: { [code]: sent } }), code)
      expect(await edit({ $add: [three, spelled] })).toEqual([one, two, three])
      const { updated_at } = (await api.get(`/${resource}/${id}`)).body.data.attributes
      expect(await edit({ $add: [two], $remove: [] })).toEqual([one, two, three])
      expect((await api.get(`/${resource}/${id}`)).body.data.attributes.updated_at).toBe(updated_at)
      expect(await edit({ $remove: [spelled] })).toEqual([two, three])
      // An absent value is no problem.
      expect(await edit({ $remove: [spelled, two], $add: [one] })).toEqual([three, one])
      expect(await edit({ $remove: [one], $add: [one] })).toEqual([three, one])
      expect(await edit({ $remove: [one, three] })).toEqual([])
    },
  )

  it('on create $add only, and $remove is ignored; on upsert as on create or update', async () => {
    const { api } = workspace
    const label = resource === 'tasks' || resource === 'notes' ? 'title' : 'name'
    const fields = (key: string) => ({ key: { $add: [key] }, tags_input: { $add: ['a'], $remove: ['b'] } })
    const created = await api.post(`/${resource}`, {
      [label]: 'New',
      custom_fields: { ...fields('made'), email: { $remove: ['x@x.example'] } },
      external_ids: { crm: { $add: ['1'], $remove: ['2'] }, erp: { $remove: ['3'] } },
    })
    expect([valuesIn(created, 'tags_input'), valuesIn(created, 'email')]).toEqual([['a'], []])
    const upsert = (tag: string, key: object) =>
      api.post(`/${resource}/upsert`, {
        match: { field: 'key', value: 'Up' },
        [label]: 'Up',
        custom_fields: { key, tags_input: { $add: [tag], $remove: ['one'] } },
      })
    const first = await upsert('one', { $add: ['up', 'extra'] })
    expect([first.status, valuesIn(first, 'tags_input')]).toEqual([201, ['one']])
    const second = await upsert('two', { $add: ['more'] })
    expect([second.status, valuesIn(second, 'tags_input'), valuesIn(second, 'key')]).toEqual([
      200,
      ['two'],
      ['up', 'extra', 'more'],
    ])
    // The value of the match must be in the result.
    for (const key of [{ $remove: ['UP'] }, { $remove: ['up'], $add: ['other'] }]) {
      expect(Object.keys(await problemsOf(upsert('three', key)))).toEqual(['custom_fields.key'])
    }
    expect((await upsert('three', { $remove: ['up'], $add: ['UP'] })).status).toBe(200)
    const other = { match: { field: 'key', value: 'Another' }, [label]: 'Other' }
    const sent = (key: object) => api.post(`/${resource}/upsert`, { ...other, custom_fields: { key } })
    expect(Object.keys(await problemsOf(sent({ $add: ['not it'] })))).toEqual(['custom_fields.key'])
    expect(valuesIn(await sent({ $remove: ['x'] }), 'key')).toEqual(['Another'])
  })

  it('a namespace of external_ids: exact, in order, unique; the id of an upsert stays', async () => {
    const { api } = workspace
    const label = resource === 'tasks' || resource === 'notes' ? 'title' : 'name'
    const { id } = await made(api, resource, { external_ids: { web: ['a', 'b'], other: ['x'] } })
    const other = await made(api, resource, { external_ids: { web: ['taken'] } })
    const edit = (sent: object) => api.patch(`/${resource}/${id}?include=externalIds`, { external_ids: { web: sent } })
    const idsIn = ({ body }: Answered) => body.data.attributes.external_ids
    expect(idsIn(await edit({ $add: ['c', ' a '], $remove: ['b', 'A'] }))).toEqual({ other: ['x'], web: ['a', 'c'] })
    expect(idsIn(await edit({ $remove: ['a', 'c'] }))).toEqual({ other: ['x'] })
    expect(idsIn(await edit({ $add: ['d'] }))).toEqual({ other: ['x'], web: ['d'] })
    const taken = await problemsOf(edit({ $add: ['e', 'taken'] }))
    expect(taken['external_ids.web.$add.1']?.[0]).toContain(other.id)
    const upsert = (web: object) =>
      api.post(`/${resource}/upsert`, {
        match: { field: 'external_ids.web', value: 'd' },
        [label]: 'One',
        external_ids: { web },
      })
    expect((await upsert({ $add: ['f'] })).body.data.id).toBe(id)
    expect(Object.keys(await problemsOf(upsert({ $remove: ['d'] })))).toEqual(['external_ids.web'])
  })

  it('what cannot be read is 422 at its path; the result obeys max_values, uniqueness and required', async () => {
    const { api } = workspace
    const { id } = await made(api, resource, { custom_fields: { tags_input: ['a', 'b', 'c', 'd'], key: ['mine'] } })
    const refused = (fields: object) => problemsOf(api.patch(`/${resource}/${id}`, { custom_fields: fields }))
    const bad: [object, string][] = [
      [{ tags_input: {} }, 'custom_fields.tags_input'],
      [{ tags_input: { $add: 'x' } }, 'custom_fields.tags_input.$add'],
      [{ tags_input: { $remove: null } }, 'custom_fields.tags_input.$remove'],
      [{ tags_input: { $add: ['x'], $set: ['y'] } }, 'custom_fields.tags_input.$set'],
      [{ tags_input: { $add: ['', 'x'] } }, 'custom_fields.tags_input.$add.0'],
      [{ email: { $add: ['ok@x.example', 'no'] } }, 'custom_fields.email.$add.1'],
      [{ multi_select: { $add: ['Four'] } }, 'custom_fields.multi_select.$add.0'],
      [{ multi_select: { $remove: ['One', 'Four'] } }, 'custom_fields.multi_select.$remove.1'],
      [{ tags_input: { $add: ['e', 'f'] } }, 'custom_fields.tags_input'],
    ]
    for (const [fields, path] of bad) expect(Object.keys(await refused(fields)), JSON.stringify(fields)).toEqual([path])
    expect(Object.keys(await problemsOf(api.patch(`/${resource}/${id}`, { external_ids: { web: {} } })))).toEqual([
      'external_ids.web',
    ])
    const patched = await api.patch(`/${resource}/${id}`, { custom_fields: { tags_input: { $add: ['e', 'A'] } } })
    expect(valuesIn(patched, 'tags_input')).toEqual(['a', 'b', 'c', 'd', 'e'])
    await made(api, resource, { custom_fields: { key: ['Taken'] } })
    expect(Object.keys(await refused({ key: { $add: ['taken'] } }))).toEqual(['custom_fields.key'])
    await workspace.updateField(resource, 'key', { required: true })
    expect(Object.keys(await refused({ key: { $remove: ['MINE'] } }))).toEqual(['custom_fields.key'])
    await workspace.updateField(resource, 'key', { required: false })
  })

  it('in a batch and in an import of NDJSON', async () => {
    const { api } = workspace
    const { id } = await made(api, resource, { custom_fields: { tags_input: ['a'] }, external_ids: { nd: ['1'] } })
    const data = (tag: string) => ({
      custom_fields: { tags_input: { $add: [tag] } },
      external_ids: { nd: { $add: [tag] } },
    })
    const batch = await api.post(`/${resource}/batch`, {
      operations: [
        { op: 'update', id, data: data('b') },
        { op: 'update', match: { field: 'external_ids.nd', value: 'b' }, data: data('c') },
      ],
      return: 'record',
    })
    expect(batch.body.data.at(-1).data.attributes).toMatchObject({
      custom_fields: { tags_input: ['a', 'b', 'c'] },
      external_ids: { nd: ['1', 'b', 'c'] },
    })
    const line = {
      custom_fields: { tags_input: { $add: ['d'], $remove: ['a'] } },
      external_ids: { nd: { $add: ['c'] } },
    }
    const options = { resource, format: 'ndjson', mode: 'update', match: 'external_ids.nd' }
    const job = await imported(api, `${JSON.stringify(line)}\n`, options)
    expect(job.attributes.progress).toMatchObject({ updated: 1, failed: 0 })
    expect(await resultsOf(api, job.id)).toMatchObject([{ id, outcome: 'updated' }])
    const read = await api.get(`/${resource}/${id}`)
    expect(valuesIn(read, 'tags_input')).toEqual(['b', 'c', 'd'])
  })
})

describe('additions 3. Lists of records and members', () => {
  const references = (id: string) => ({ custom_fields: { links: { $add: [{ id, type: 'people' }] } } })

  it('*_ids: by id and by match; hidden targets stay unless they are removed by id', async () => {
    const { api, owner } = workspace
    const [a = '', b = '', c = ''] = await madeIds(api, 'companies', 3)
    const match = { field: 'external_ids.link', value: 'b' }
    await api.patch(`/companies/${b}`, { external_ids: { link: ['b'] } })
    const { id } = await made(api, 'tasks', { company_ids: [a, c] })
    const edit = async (sent: object) => {
      const { body, text } = await api.patch(`/tasks/${id}?include=companies,assignees`, sent)
      expect(body.data, text).toBeDefined()
      const { companies, assignees } = body.data.relationships
      return [...companies.data, ...assignees.data].map((one: { id: string }) => one.id).sort()
    }
    expect(await edit({ company_ids: { $add: [{ match }], $remove: [c] } })).toEqual([a, b].sort())
    const assigned = await edit({
      assignee_ids: { $add: [{ email: owner.email }] },
      company_ids: { $remove: [{ match }] },
    })
    expect(assigned).toEqual([a, owner.id].sort())
    await gone(api, 'companies', a)
    expect(await edit({ company_ids: { $add: [b] } })).toEqual([b, owner.id].sort())
    await api.put(`/companies/${a}/restore`)
    expect(await edit({ company_ids: { $add: [] } })).toEqual([a, b, owner.id].sort())
    await gone(api, 'companies', a)
    expect(await edit({ company_ids: { $remove: [a] } })).toEqual([b, owner.id].sort())
    await api.put(`/companies/${a}/restore`)
    // It is not linked any more, and removing it again does nothing.
    expect(await edit({ company_ids: { $remove: [a] }, assignee_ids: { $remove: [owner.id] } })).toEqual([b])
  })

  it('an unknown id is 422 at its place; create is not taken where something is removed', async () => {
    const { api } = workspace
    const [a = ''] = await madeIds(api, 'companies', 1)
    const { id } = await made(api, 'tasks', { company_ids: [a] })
    const refused = async (company_ids: object) =>
      Object.keys(await problemsOf(api.patch(`/tasks/${id}`, { company_ids })))
    expect(await refused({ $add: [a, NOWHERE] })).toEqual(['company_ids.$add.1'])
    expect(await refused({ $remove: [a, NOWHERE] })).toEqual(['company_ids.$remove.1'])
    expect(await refused({ $add: ['x'], $remove: [1] })).toEqual(['company_ids.$remove.0', 'company_ids.$add.0'])
    expect(await refused({})).toEqual(['company_ids'])
    const match = { field: 'domains', value: 'nobody.example' }
    expect(await refused({ $remove: [{ match }] })).toEqual(['company_ids.$remove.0'])
    expect(await refused({ $remove: [{ match, create: { name: 'No' } }] })).toEqual(['company_ids.$remove.0.create'])
    const task = await api.patch(`/tasks/${id}?include=companies`, {
      company_ids: { $add: [{ match, create: { name: 'New' } }] },
    })
    expect(task.body.data.relationships.companies.data).toHaveLength(2)
  })

  it('a reference field: hidden targets stay, and an unknown id is 422 at its place', async () => {
    const { api } = workspace
    const links = { name: 'Links', type: 'record', target: 'people', multiple: true, max_values: 3 }
    expect((await api.post('/schema/companies/fields', links)).status).toBe(201)
    const [a = '', b = '', c = '', d = ''] = await madeIds(api, 'people', 4)
    const { id } = await made(api, 'companies', references(a))
    const edit = (sent: object) => api.patch(`/companies/${id}`, { custom_fields: { links: sent } })
    const shown = async (sent: object) =>
      (await edit(sent)).body.data.attributes.custom_fields.links.map((one: { id: string }) => one.id)
    expect(await shown({ $add: [b, a] })).toEqual([a, b])
    await gone(api, 'people', a)
    expect(await shown({ $add: [c] })).toEqual([b, c])
    await api.put(`/people/${a}/restore`)
    expect(await shown({ $add: [c] })).toEqual([a, b, c])
    expect(Object.keys(await problemsOf(edit({ $add: [d] })))).toEqual(['custom_fields.links'])
    await gone(api, 'people', a)
    expect(await shown({ $add: [d], $remove: [a] })).toEqual([b, c, d])
    expect(Object.keys(await problemsOf(edit({ $remove: [b, NOWHERE] })))).toEqual(['custom_fields.links.$remove.1'])
    expect(Object.keys(await problemsOf(edit({ $add: [NOWHERE], $remove: [b] })))).toEqual([
      'custom_fields.links.$add.0',
    ])
    const { updated_at } = (await api.get(`/companies/${id}`)).body.data.attributes
    expect(await shown({ $remove: [a], $add: [b] })).toEqual([b, c, d])
    expect((await api.get(`/companies/${id}`)).body.data.attributes.updated_at).toBe(updated_at)
  })
})

const CLIENTS = 50

describe('additions 3. Writers that add different values at the same time all succeed', () => {
  it.each<EveryName>(['companies', 'projects'])(
    '50 clients add tags, links and ids to one of the %s',
    async (resource) => {
      const { api } = workspace
      await workspace.updateField(resource, 'key', { max_values: 100 })
      await workspace.updateField(resource, 'tags_input', { max_values: 100 })
      const { id } = await made(api, resource, { custom_fields: { tags_input: ['first', 'old'] } })
      const names = Array.from({ length: CLIENTS }, (_, index) => `tag ${index}`)
      const answers = await Promise.all(
        names.map((name) =>
          api.patch(`/${resource}/${id}`, {
            custom_fields: { tags_input: { $add: [name], $remove: ['old'] }, key: { $add: [`${resource} ${name}`] } },
            external_ids: { race: { $add: [name] } },
          }),
        ),
      )
      expect(answers.map(({ status }) => status)).toEqual(names.map(() => 200))
      const { custom_fields, external_ids } = (await api.get(`/${resource}/${id}?include=externalIds`)).body.data
        .attributes
      expect(custom_fields.tags_input[0]).toBe('first')
      expect(custom_fields.tags_input.slice(1).sort()).toEqual(names.toSorted())
      expect(custom_fields.key).toHaveLength(CLIENTS)
      expect(external_ids.race.toSorted()).toEqual(names.toSorted())
    },
  )

  it('50 clients link different companies to one task', async () => {
    const { api } = workspace
    const { body } = await api.post('/companies/batch', {
      operations: Array.from({ length: CLIENTS }, (_, index) => ({ op: 'create', data: { name: `No ${index}` } })),
    })
    const ids: string[] = body.data.map((one: { id: string }) => one.id)
    const { id } = await made(api, 'tasks')
    const answers = await Promise.all(ids.map((one) => api.patch(`/tasks/${id}`, { company_ids: { $add: [one] } })))
    expect(answers.map(({ status }) => status)).toEqual(ids.map(() => 200))
    const task = (await api.get(`/tasks/${id}?include=companies`)).body.data
    expect(task.relationships.companies.data.map((one: { id: string }) => one.id).sort()).toEqual(ids.toSorted())
  })
})
