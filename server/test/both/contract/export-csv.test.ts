import { expect, it } from 'vitest'
import { openExport, readCsv } from '../../exported.ts'
import { eachTested } from '../../lists.ts'
import { declared, workspaceWithOwn } from '../../own-resource.ts'
import { made } from '../../records.ts'

it.each(eachTested)('CSV of %s has id, attributes, lists of ids, external ids, custom fields', async (type) => {
  const workspace = await workspaceWithOwn()
  const { attributes, links } = declared(type)
  const record = await made(workspace.api, type, { external_ids: { zeta: '1', crm: ['7', '8'] } })
  const response = await openExport(workspace.api, `/${type}/export?format=csv`)
  expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8')
  const text = await response.text()
  // UTF-8 without a byte order mark, lines end with CRLF, no end line.
  expect([text.startsWith('id,'), text.endsWith('\r\n'), text.includes('"end"')]).toEqual([true, true, false])
  const [header = [], row = [], ...others] = await readCsv(workspace.api, `/${type}/export?format=csv`)
  const codes = Object.keys(record.attributes.custom_fields).map((code) => `custom_fields.${code}`)
  const external = ['external_ids.crm', 'external_ids.zeta']
  expect(header).toEqual(['id', ...Object.keys(attributes), ...Object.keys(links), ...external, ...codes])
  expect(others).toEqual([])
  const cell = (name: string) => row[header.indexOf(name)]
  expect([cell('id'), cell('updated_at'), cell('external_ids.crm')]).toEqual([
    record.id,
    record.attributes.updated_at,
    '7;8',
  ])
})

it('lists of ids are company_ids, people_ids, opportunity_ids, those of own resources, assignee_ids', async () => {
  const workspace = await workspaceWithOwn()
  const { api, owner } = workspace
  const companies = [await made(api, 'companies'), await made(api, 'companies')].map(({ id }) => id)
  const person = await made(api, 'people')
  await made(api, 'tasks', { company_ids: companies, people_ids: [person.id], assignee_ids: [owner.id] })
  const [header = [], row = []] = await readCsv(api, '/tasks/export?format=csv&fields=title')
  expect(header).toEqual(['id', 'title', 'company_ids', 'people_ids', 'opportunity_ids', 'project_ids', 'assignee_ids'])
  expect(row.slice(2)).toEqual([companies.join(';'), person.id, '', '', owner.id])
  expect((await readCsv(api, '/notes/export?format=csv&fields=title'))[0]?.slice(2)).toEqual(header.slice(2, 6))
})

it('values: lists by ; or as JSON, choices by label, formulas escaped, numbers and phone numbers as they are', async () => {
  const workspace = await workspaceWithOwn()
  const { api } = workspace
  const labels = (...labels: string[]) => ({ options: labels.map((label) => ({ label })) })
  const add = (name: string, type: string, rest: object = {}) => workspace.field('people', { name, type, ...rest })
  await add('Level', 'select', labels('=Gold', 'Silver'))
  await add('Likes', 'multi-select', labels('a;b', 'c'))
  await add('Tags', 'tags-input')
  await add('Score', 'number')
  await add('Active', 'checkbox')
  await add('Memo', 'textarea')
  await add('Lines', 'phone', { multiple: true, max_values: 5 })
  const custom_fields = {
    level: '=Gold',
    likes: ['a;b', 'c'],
    tags: ['x', '=1+1', 'ü'],
    score: -5.5,
    active: false,
    memo: 'two\nlines, "quoted"',
    lines: ['+493012345678', '+493012345679'],
  }
  const response = await api.post('/people', { name: '=HYPERLINK("x")', custom_fields })
  expect(response.status, response.text).toBe(201)
  await api.post('/people', { name: "'=quoted" })
  const names = ['level', 'likes', 'tags', 'score', 'active', 'memo', 'lines']
  const fields = ['name', ...names.map((name) => `custom_fields.${name}`)].join(',')
  const [header = [], first = [], second = []] = await readCsv(api, `/people/export?format=csv&fields=${fields}`)
  // Custom fields are in the order of the workspace.
  const shown = Object.fromEntries(header.map((name, index) => [name.replace('custom_fields.', ''), first[index]]))
  expect(shown).toMatchObject({
    name: '\'=HYPERLINK("x")',
    level: "'=Gold",
    likes: '["a;b","c"]',
    tags: "x;'=1+1;ü",
    score: '-5.5',
    active: 'false',
    memo: 'two\nlines, "quoted"',
    lines: '+493012345678;+493012345679',
  })
  expect(second.slice(1)).toEqual(["''=quoted", ...names.map(() => '')])
})

it('fields choose the columns', async () => {
  const { api } = await workspaceWithOwn()
  await made(api, 'companies', { external_ids: { crm: '1' } })
  const columns = async (fields: string) => (await readCsv(api, `/companies/export?format=csv&fields=${fields}`))[0]
  expect(await columns('name')).toEqual(['id', 'name'])
  expect(await columns('external_ids,created_at')).toEqual(['id', 'created_at', 'external_ids.crm'])
  expect(await columns('custom_fields.domains')).toEqual(['id', 'custom_fields.domains'])
  expect((await readCsv(api, '/people/export?format=csv&fields=external_ids'))[0]).toEqual(['id'])
})
