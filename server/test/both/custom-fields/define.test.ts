import { resourceIn } from '@kith/contract/resource'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { archiveField, createField, deleteField } from '../../../src/schema/define.ts'
import { valueTypeNames } from '../../field-samples.ts'
import { issuesOf, make, openRoom, type Room, read, refusalOf } from './room.ts'

let room: Room
beforeAll(async () => {
  room = await openRoom()
})
afterAll(() => room.close())

test('a field of every type can be made and used', async () => {
  for (const type of valueTypeNames) {
    const made = await createField(await room.enter(), 'notes', { name: `A ${type}`, type })
    expect(made).toMatchObject({
      code: `a_${type.replaceAll('-', '_')}`,
      key: made.code,
      type,
      required: false,
      unique: false,
    })
  }
  const { list } = resourceIn((await room.enter()).schema, 'notes').fields
  expect(list.map((field) => field.position)).toEqual(list.map((_, index) => index + 1))
  expect(list.map((field) => field.type)).toEqual(['rich-text', ...valueTypeNames])
  const counts = new Map(list.map((field) => [field.type, [field.multiple, field.max_values]]))
  expect(counts.get('text')).toEqual([false, 1])
  expect(counts.get('email')).toEqual([false, 1])
  expect(counts.get('tags-input')).toEqual([true, 5])
  expect(counts.get('multi-select')).toEqual([true, 200])
})

test('options, settings and limits are stored as given', async () => {
  const scope = await room.enter()
  const select = await createField(scope, 'people', {
    name: ' Tier ',
    type: 'select',
    description: ' How dear ',
    required: true,
    options: [' Gold ', { label: 'Silver', color: 'teal' }, { id: null, label: 'Tin', color: null }],
  })
  expect(select).toMatchObject({ name: 'Tier', description: 'How dear', required: true })
  expect(select.options.map(({ label, color }) => [label, color])).toEqual([
    ['Gold', 'gray'],
    ['Silver', 'teal'],
    ['Tin', null],
  ])
  const price = await createField(scope, 'people', {
    name: 'Price',
    type: 'currency',
    settings: { currency: 'eur', decimals: 3 },
  })
  expect(price.settings).toEqual({ currency: 'EUR', decimals: 3 })
  const mails = await createField(scope, 'people', {
    name: 'Mails',
    type: 'email',
    multiple: true,
    unique: true,
    max_values: 100,
  })
  expect(mails).toMatchObject({ multiple: true, unique: true, max_values: 100 })
  const line = await createField(scope, 'people', {
    name: 'Line',
    type: 'text',
    settings: { max_length: 10000 },
    position: 1,
  })
  expect(line).toMatchObject({ settings: { max_length: 10000 }, position: 1 })
  const { list } = resourceIn((await room.enter()).schema, 'people').fields
  expect(list.map((field) => field.code).slice(0, 2)).toEqual(['line', 'emails'])
  expect(list.map((field) => field.position)).toEqual(list.map((_, index) => index + 1))
})

test('the code comes from the name and is made unique; a given one must be free and well-formed', async () => {
  const scope = await room.enter()
  const codes = []
  for (const name of ['Größe (m²)', 'Grosse m2', 'Grösse  m2']) {
    codes.push((await createField(scope, 'companies', { name, type: 'number' })).code)
  }
  expect(codes).toEqual(['grosse_m2', 'grosse_m2_2', 'grosse_m2_3'])
  expect((await createField(scope, 'companies', { name: 'Given', type: 'text', code: 'own_1' })).code).toBe('own_1')
  expect(await issuesOf(createField(scope, 'companies', { name: 'Other', type: 'text', code: 'own_1' }))).toEqual({
    code: 'The code is taken by the field "Given". Choose another one.',
  })
  for (const code of ['1a', 'A', 'a-b', 'é', '_a', 'a'.repeat(51), 7]) {
    expect(Object.keys(await issuesOf(createField(scope, 'companies', { name: 'Other', type: 'text', code })))).toEqual(
      ['code'],
    )
  }
})

test('a name is unique ignoring case, archived fields included', async () => {
  const scope = await room.enter()
  await createField(scope, 'tasks', { name: 'Straße', type: 'text' })
  await archiveField(scope, { entity_type: 'tasks', code: 'strasse' })
  expect(await issuesOf(createField(scope, 'tasks', { name: 'STRASSE', type: 'text' }))).toEqual({
    name: 'The name is taken by the archived field with the code strasse. Choose another one.',
  })
  await createField(scope, 'people', { name: 'Straße', type: 'text' })
})

test('all problems are reported together, and nothing is stored', async () => {
  const scope = await room.enter()
  const before = resourceIn(scope.schema, 'opportunities').fields.list.length
  const problems = await issuesOf(
    createField(scope, 'opportunities', {
      name: 'x'.repeat(51),
      type: 'date',
      code: 'No',
      unique: true,
      required: 'yes',
      multiple: true,
      max_values: 3,
      settings: { currency: 'EUR' },
      options: ['A'],
      position: 0,
      colour: 'red',
    }),
  )
  expect(Object.keys(problems).sort()).toEqual(
    [
      'code',
      'colour',
      'max_values',
      'multiple',
      'name',
      'options',
      'position',
      'required',
      'settings.currency',
      'unique',
    ].sort(),
  )
  expect(problems.unique).toContain('text, number, tags-input, email, phone, link, domain')
  const { type, name } = await issuesOf(createField(scope, 'opportunities', { type: 'textt' }))
  expect(type).toContain('Did you mean text?')
  expect(name).toBe('The name is required.')
  expect(Object.keys(await issuesOf(createField(scope, 'opportunities', ['x'])))).toContain('body')
  expect(resourceIn((await room.enter()).schema, 'opportunities').fields.list).toHaveLength(before)
})

test('the options of a new field are checked one by one', async () => {
  const scope = await room.enter()
  const options = [
    'A',
    ' a ',
    '',
    'x'.repeat(256),
    { label: 'B', color: 'plaid' },
    { id: 'nope', label: 'C' },
    { name: 'D' },
    7,
  ]
  const problems = await issuesOf(createField(scope, 'tasks', { name: 'Kind', type: 'radio', options }))
  expect(Object.keys(problems).sort()).toEqual([
    'options.1',
    'options.2',
    'options.3',
    'options.4.color',
    'options.5',
    'options.6',
    'options.6.name',
    'options.7',
  ])
  const many = Array.from({ length: 201 }, (_, index) => `${index}`)
  expect(
    Object.keys(await issuesOf(createField(scope, 'tasks', { name: 'Kind', type: 'radio', options: many }))),
  ).toEqual(['options'])
  const { options: all } = await createField(scope, 'tasks', {
    name: 'Kind',
    type: 'radio',
    options: many.slice(0, 200),
  })
  expect(new Set(all.map((option) => option.id)).size).toBe(200)
})

test('wrong settings name their path', async () => {
  const scope = await room.enter()
  const wrong = (type: string, settings: unknown) =>
    issuesOf(createField(scope, 'tasks', { name: 'Wrong', type, settings })).then(Object.keys)
  expect(await wrong('currency', { currency: 'EURO', decimals: 1 })).toEqual(['settings.currency', 'settings.decimals'])
  expect(await wrong('text', { max_length: 10001 })).toEqual(['settings.max_length'])
  expect(await wrong('text', { max_length: 0 })).toEqual(['settings.max_length'])
  expect(await wrong('text', 'long')).toEqual(['settings'])
  expect(await wrong('number', { decimals: 2 })).toEqual(['settings.decimals'])
})

test('only owners and admins change fields', async () => {
  const scope = await room.enter()
  for (const role of ['member', 'viewer'] as const) {
    const other = { ...scope, actor: { ...scope.actor, role } }
    expect((await refusalOf(createField(other, 'tasks', {}))).reason.kind).toBe('forbidden')
  }
  const admin = { ...scope, actor: { ...scope.actor, role: 'admin' as const } }
  expect(await createField(admin, 'tasks', { name: 'By admin', type: 'text' })).toMatchObject({ code: 'by_admin' })
})

test('a resource takes 100 fields, archived ones included', async () => {
  const scope = await room.enter()
  const { list } = resourceIn(scope.schema, 'opportunities').fields
  for (let number = list.length; number < 100; number++) {
    await createField(scope, 'opportunities', { name: `Field ${number}`, type: 'text' })
  }
  await archiveField(scope, { entity_type: 'opportunities', code: 'field_50' })
  expect(Object.keys(await issuesOf(createField(scope, 'opportunities', { name: 'More', type: 'text' })))).toEqual([
    'entity_type',
  ])
  await deleteField(scope, { entity_type: 'opportunities', code: 'field_50' })
  expect(await createField(scope, 'opportunities', { name: 'More', type: 'text' })).toMatchObject({ position: 100 })
})

test('a code that comes back has a key of its own, so that old values stay gone', async () => {
  const address = { entity_type: 'companies', code: 'nick' } as const
  const keys = []
  let id = ''
  for (const value of ['first', 'second', 'third']) {
    const made = await createField(await room.enter(), 'companies', { name: 'Nick', type: 'text' })
    keys.push(made.key)
    id ||= await make(await room.enter(), 'companies', { nick: value })
    expect((await read(await room.enter(), 'companies', id)).custom_fields.nick).toBe(
      value === 'first' ? 'first' : null,
    )
    await archiveField(await room.enter(), address)
    await deleteField(await room.enter(), address)
  }
  expect(keys).toEqual(['nick', 'nick~2', 'nick~3'])
})

test('fields that are made at once keep codes, names and positions apart', async () => {
  const scope = await room.enter()
  const made = await Promise.all(
    Array.from({ length: 8 }, (_, index) =>
      createField(scope, 'people', { name: `Same${'!'.repeat(index)}`, type: 'text' }),
    ),
  )
  expect(new Set(made.map((field) => field.code)).size).toBe(8)
  const { list } = resourceIn((await room.enter()).schema, 'people').fields
  expect(list.map((field) => field.position)).toEqual(list.map((_, index) => index + 1))
})
