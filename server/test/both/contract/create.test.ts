import { countAttributeNames } from '@kith/contract/resource'
import { beforeAll, describe, expect, it } from 'vitest'
import { declared, everyResource, workspaceWithOwn } from '../../own-resource.ts'
import { made, NOWHERE, problemsOf } from '../../records.ts'
import { testedResources } from '../../run-length.ts'
import type { TestWorkspace } from '../../workspace.ts'

let workspace: TestWorkspace
beforeAll(async () => {
  workspace = await workspaceWithOwn()
})

describe('4. Create: POST makes a record and answers 201 with it', () => {
  it.each(testedResources)('%s: what is answered is what is then read and listed', async (type) => {
    const { api } = workspace
    const { label } = declared(type)
    const answer = await api.post(`/${type}`, { [label]: `A ${type}` })
    expect(answer.status).toBe(201)
    const { data } = answer.body
    expect(data.attributes[label]).toBe(`A ${type}`)
    for (const key of Object.keys(declared(type).references)) expect(data.attributes[key]).toBeNull()
    expect(data.attributes.created_at).toBe(data.attributes.updated_at)
    expect((await api.get(`/${type}/${data.id}`)).body.data).toEqual(data)
    const listed = await api.get(`/${type}?filter[${label}][$eq]=${encodeURIComponent(`A ${type}`)}`)
    expect(listed.body.data).toEqual([data])
    expect(listed.body.meta.total).toBe(1)
  })

  it.each(testedResources)('%s: the same body twice makes two records', async (type) => {
    const { api } = workspace
    const [first, second] = [await made(api, type), await made(api, type)]
    expect(second.id > first.id).toBe(true)
  })

  it.each(testedResources)('%s: include and fields work on the answer', async (type) => {
    const { api, owner } = workspace
    const { label } = declared(type)
    const answer = await api.post(`/${type}?include=creator&fields=${label}`, { [label]: 'x' })
    expect(answer.status).toBe(201)
    const creator = { id: owner.id, type: 'users' }
    expect(answer.body).toEqual({
      data: {
        id: expect.any(String),
        type,
        attributes: { [label]: 'x' },
        relationships: { creator: { data: creator } },
      },
      included: [{ ...creator, attributes: { name: owner.name, email: owner.email } }],
    })
  })
})

describe('2. name and title: a JSON string, trimmed, 1 to 255 characters (code points)', () => {
  const fine: [what: string, sent: string, shown: string][] = [
    ['one character', 'x', 'x'],
    ['white space around it', ' \t\n Acme Inc. \u00a0\u3000\r\n', 'Acme Inc.'],
    ['white space within it', 'A  \n B', 'A  \n B'],
    ['255 characters', 'é'.repeat(255), 'é'.repeat(255)],
    ['255 astral characters', '🦊'.repeat(255), '🦊'.repeat(255)],
    ['255 characters and white space around them', ` ${'x'.repeat(255)} `, 'x'.repeat(255)],
    [
      'what looks like something else',
      '"><script>\'; drop table companies; --',
      '"><script>\'; drop table companies; --',
    ],
    ['digits', '0', '0'],
    ['combining characters, as they are', 'e\u0301', 'e\u0301'],
    ['letters that change their length with their case', 'İß ﬁ', 'İß ﬁ'],
    ['invisible characters', '\u200b', '\u200b'],
  ]
  it.each(testedResources)('%s: kept but for white space around it', async (type) => {
    const { api } = workspace
    const { label } = declared(type)
    for (const [what, sent, shown] of fine) {
      const { id, attributes } = await made(api, type, { [label]: sent })
      expect(attributes[label], what).toBe(shown)
      const put = await api.put(`/${type}/${id}`, { [label]: sent })
      expect(put.body.data.attributes, what).toEqual(attributes)
      const found = await api.post(`/${type}/query`, { filter: { [label]: { $eq: shown } } })
      expect(
        found.body.data.map((record: { id: string }) => record.id),
        what,
      ).toContain(id)
    }
  })

  it.each(testedResources)('%s: anything else is refused on create and on update', async (type) => {
    const { api } = workspace
    const { label } = declared(type)
    const required = `The ${label} field is required.`
    const string = `The ${label} must be a string.`
    const long = `The ${label} must not be greater than 255 characters.`
    const wrong: [sent: unknown, message: string | RegExp][] = [
      [null, required],
      ['', required],
      [' \u00a0\n', required],
      [5, string],
      [true, string],
      [['x'], string],
      [{ x: 1 }, string],
      ['x'.repeat(256), long],
      ['🦊'.repeat(256), long],
      ['x'.repeat(100_000), long],
      ['a\u0000b', /NUL/],
      ['a\ud800b', /Unicode/],
    ]
    const { id } = await made(api, type)
    for (const [sent, message] of wrong) {
      for (const answering of [api.post(`/${type}`, { [label]: sent }), api.put(`/${type}/${id}`, { [label]: sent })]) {
        const problems = await problemsOf(answering)
        expect(Object.keys(problems)).toEqual([label])
        if (typeof message === 'string') expect(problems[label]).toEqual([message])
        else expect(problems[label]?.[0]).toMatch(message)
      }
    }
    expect(await problemsOf(api.post(`/${type}`, {}))).toEqual({ [label]: [required] })
  })

  it('the other word is unknown: tasks and notes have titles, the others names', async () => {
    const { api } = workspace
    for (const type of everyResource) {
      const { label } = declared(type)
      const other = label === 'name' ? 'title' : 'name'
      expect(Object.keys(await problemsOf(api.post(`/${type}`, { [other]: 'x' }))).sort()).toEqual(['name', 'title'])
      expect(Object.keys(await problemsOf(api.post(`/${type}`, { [label]: 'x', [other]: 'x' })))).toEqual([other])
    }
  })
})

describe('2. Read-only attributes in a body are accepted and ignored; other unknown keys: 422', () => {
  it.each(testedResources)('%s', async (type) => {
    const { api } = workspace
    const { label } = declared(type)
    const readOnly = ['creation_source', 'created_at', 'updated_at', ...countAttributeNames(declared(type))]
    for (const value of ['web', '2001-01-01T00:00:00.000Z', 99, null, { deep: [] }, 'nonsense']) {
      const sent = Object.fromEntries(readOnly.map((key) => [key, value]))
      const { id, attributes } = await made(api, type, sent)
      expect(attributes.creation_source).toBe('api')
      expect(attributes.created_at).not.toContain('2001')
      const put = await api.put(`/${type}/${id}`, sent)
      expect(put.status).toBe(200)
      expect(put.body.data.attributes).toEqual(attributes)
    }
    const others = everyResource.flatMap((name) => countAttributeNames(declared(name)))
    const keys = [...new Set(others.filter((key) => !readOnly.includes(key)))]
    const unknown = [
      'id',
      'type',
      'data',
      'attributes',
      'relationships',
      'workspace_id',
      'creator_id',
      'deleted_at',
      ...keys,
    ]
    const body = { [label]: 'x', ...Object.fromEntries(unknown.map((key) => [key, null])) }
    expect(Object.keys(await problemsOf(api.post(`/${type}`, body)))).toEqual(unknown)
  })
})

describe('3. All problems of a request’s input are gathered into one 422', () => {
  it.each(testedResources)('%s: parameters, keys, names, ids and values, on create and on update', async (type) => {
    const mine = await workspaceWithOwn()
    const { api } = mine
    const { label, references, links } = declared(type)
    await mine.field(type, { name: 'Ref', type: 'text', unique: true })
    await mine.field(type, { name: 'Size', type: 'select', options: ['S'] })
    await mine.field(type, { name: 'Tags', type: 'tags-input' })
    await made(api, type, { custom_fields: { ref: 'taken' } })
    const { id } = await made(api, type)
    const body = {
      [label]: '',
      nonsense: 1,
      ...Object.fromEntries(Object.keys(references).map((key) => [key, NOWHERE])),
      ...Object.fromEntries(Object.keys(links).map((key) => [key, [NOWHERE, 'x']])),
      custom_fields: { ref: 'TAKEN', size: 'XL', tags: ['ok', '', 5], unheard_of: 1 },
    }
    const expected = [
      'include',
      'strange',
      'nonsense',
      label,
      ...Object.keys(references),
      ...Object.keys(links).flatMap((key) => [`${key}.0`, `${key}.1`]),
      'custom_fields',
      'custom_fields.ref',
      'custom_fields.size',
      'custom_fields.tags.1',
      'custom_fields.tags.2',
    ]
    const query = '?include=nobody&strange=1'
    for (const answering of [api.post(`/${type}${query}`, body), api.put(`/${type}/${id}${query}`, body)]) {
      expect(Object.keys(await problemsOf(answering)).sort()).toEqual(expected.sort())
    }
  })

  it('the message is the first problem, and counts the others', async () => {
    const { api } = workspace
    const post = async (body: object) => (await api.post('/companies', body)).body.message
    expect(await post({})).toBe('The name field is required.')
    expect(await post({ account_owner_id: 1 })).toMatch(/^The name field is required\. \(and 1 more error\)$/)
    expect(await post({ account_owner_id: 1, custom_fields: [] })).toMatch(/ \(and 2 more errors\)$/)
  })

  it('of very many unknown keys some are reported, and the answer stays short', async () => {
    const keys = Array.from({ length: 20_000 }, (_, index) => [`k${index}`, 1])
    const answer = await workspace.api.post('/companies', { name: 'x', ...Object.fromEntries(keys) })
    expect(answer.status).toBe(422)
    expect(answer.body.errors).toHaveProperty('k0')
    expect(answer.text.length).toBeLessThan(50_000)
    const long = await workspace.api.post('/companies', { name: 'x', ['y'.repeat(10_000)]: 1 })
    expect(long.text.length).toBeLessThan(1000)
  })
})
