import { resourceIn } from '@kith/contract/resource'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { presentField } from '../../../src/fields/json-schema.ts'
import { createField, updateField } from '../../../src/schema/define.ts'
import { issuesOf, make, openRoom, type Room, read, refusalOf } from './room.ts'

let room: Room
beforeAll(async () => {
  room = await openRoom()
})
afterAll(() => room.close())

async function codes(resource: 'companies' | 'tasks' | 'people') {
  return resourceIn((await room.enter()).schema, resource).fields.list.map((field) => field.code)
}

test('what is absent stays, what is null is cleared', async () => {
  const scope = await room.enter()
  const made = await createField(scope, 'people', {
    name: 'Mails',
    type: 'email',
    description: 'Where to write',
    required: true,
    multiple: true,
    max_values: 9,
  })
  const address = { entity_type: 'people', code: 'mails' } as const
  const { field: renamed } = await updateField(scope, address, { name: 'Letters' })
  expect(renamed).toEqual({ ...made, name: 'Letters', updated_at: renamed.updated_at })
  expect(renamed.updated_at > made.updated_at).toBe(true)
  const nulls = { description: null, required: null, unique: null, max_values: null, settings: null, options: null }
  const { field: cleared } = await updateField(scope, address, nulls)
  expect(cleared).toMatchObject({ name: 'Letters', description: null, required: false, multiple: true, max_values: 5 })
  expect((await updateField(scope, address, { multiple: false })).field).toMatchObject({
    multiple: false,
    max_values: 1,
  })
  expect((await updateField(scope, address, { multiple: true })).field).toMatchObject({ multiple: true, max_values: 5 })
  expect(Object.keys(await issuesOf(updateField(scope, address, { name: null })))).toEqual(['name'])
})

test('what is read can be sent back and changes nothing', async () => {
  const fields = async () => [...(await room.enter()).schema.values()].flatMap((resource) => resource.fields.list)
  const before = await fields()
  for (const field of before) {
    const { field: after } = await updateField(await room.enter(), field, presentField(field))
    expect(after).toEqual({ ...field, archived_at: null })
  }
  expect(await fields()).toMatchObject(before)
})

test('code, type and resource never change', async () => {
  const problems = await issuesOf(
    updateField(
      await room.enter(),
      { entity_type: 'companies', code: 'icp' },
      { code: 'x', type: 'text', entity_type: 'people', foo: 1 },
    ),
  )
  expect(Object.keys(problems).sort()).toEqual(['code', 'entity_type', 'foo', 'type'])
})

test('an unknown field is not found, and the nearest is named', async () => {
  const refusal = await refusalOf(updateField(await room.enter(), { entity_type: 'companies', code: 'domain' }, {}))
  expect(refusal.reason.kind).toBe('not_found')
  expect(refusal.message).toBe('No custom field with the code domain exists for companies. Did you mean domains?')
})

test('a system field can be renamed and moved', async () => {
  const { field } = await updateField(
    await room.enter(),
    { entity_type: 'companies', code: 'domains' },
    { name: 'Sites', position: 3 },
  )
  expect(field).toMatchObject({ code: 'domains', name: 'Sites', position: 3, system: true })
  expect(await codes('companies')).toEqual(['linkedin', 'icp', 'domains'])
})

test('fields can be put in any order', async () => {
  const move = async (code: string, position: number) =>
    (await updateField(await room.enter(), { entity_type: 'tasks', code }, { position })).field.position
  expect(await codes('tasks')).toEqual(['status', 'priority', 'due_date', 'description'])
  expect(await move('description', 1)).toBe(1)
  expect(await codes('tasks')).toEqual(['description', 'status', 'priority', 'due_date'])
  expect(await move('status', 3)).toBe(3)
  expect(await codes('tasks')).toEqual(['description', 'priority', 'status', 'due_date'])
  expect(await move('description', 100)).toBe(4)
  expect(await codes('tasks')).toEqual(['priority', 'status', 'due_date', 'description'])
  const { list } = resourceIn((await room.enter()).schema, 'tasks').fields
  expect(list.map((field) => field.position)).toEqual([1, 2, 3, 4])
})

test('a field can be made unique while duplicates exist, and the answer counts them', async () => {
  await createField(await room.enter(), 'companies', { name: 'Ref', type: 'text' })
  await createField(await room.enter(), 'companies', { name: 'Number', type: 'number' })
  await createField(await room.enter(), 'companies', { name: 'Tags', type: 'tags-input' })
  const scope = await room.enter()
  for (const ref of ['a', 'A', 'b', 'B', 'b', 'c']) await make(scope, 'companies', { ref })
  for (const number of [1, 1, 2, 3, 3, 4]) await make(scope, 'companies', { number })
  await make(scope, 'companies', { tags: ['VIP', 'vip', 'x'] })
  await make(scope, 'companies', { tags: ['X'] })
  const unique = (code: string) => updateField(scope, { entity_type: 'companies', code }, { unique: true })
  expect(await unique('ref')).toMatchObject({ field: { unique: true }, duplicates: 2 })
  expect(await unique('number')).toMatchObject({ field: { unique: true }, duplicates: 2 })
  expect(await unique('tags')).toMatchObject({ field: { unique: true }, duplicates: 1 })
  expect(await updateField(scope, { entity_type: 'companies', code: 'ref' }, { name: 'Reference' })).toMatchObject({
    duplicates: 0,
  })
})

test('making a field required does not touch records', async () => {
  const id = await make(await room.enter(), 'companies', {})
  const before = await read(await room.enter(), 'companies', id)
  await updateField(await room.enter(), { entity_type: 'companies', code: 'linkedin' }, { required: true })
  expect(await read(await room.enter(), 'companies', id)).toEqual(before)
})

test('settings change one by one', async () => {
  const scope = await room.enter()
  const address = { entity_type: 'opportunities', code: 'amount' } as const
  expect((await updateField(scope, address, { settings: { currency: 'JPY' } })).field.settings).toEqual({
    currency: 'JPY',
    decimals: 2,
  })
  expect((await updateField(scope, address, { settings: { decimals: 0 } })).field.settings).toEqual({
    currency: 'JPY',
    decimals: 0,
  })
  expect((await updateField(scope, address, { settings: { currency: null } })).field.settings).toEqual({
    currency: 'USD',
    decimals: 0,
  })
  expect((await updateField(scope, address, { settings: null })).field.settings).toEqual({
    currency: 'USD',
    decimals: 2,
  })
})

test('nothing of another workspace can be reached', async () => {
  const theirs = { entity_type: 'notes', code: 'theirs' } as const
  const made = await createField(await room.enterNextDoor(), 'notes', {
    name: 'Theirs',
    type: 'select',
    options: ['A'],
  })
  const id = await make(await room.enterNextDoor(), 'notes', { theirs: 'A' })
  expect((await refusalOf(updateField(await room.enter(), theirs, { name: 'Mine' }))).reason.kind).toBe('not_found')
  const mine = await createField(await room.enter(), 'notes', { name: 'Theirs', type: 'select', options: ['A', 'B'] })
  expect(mine).toMatchObject({ code: 'theirs', key: 'theirs', position: 2 })
  await updateField(await room.enter(), theirs, { name: 'Mine', options: ['B'], position: 1 })
  const { list } = resourceIn((await room.enterNextDoor()).schema, 'notes').fields
  expect(list.map((field) => [field.position, field.name])).toEqual([
    [1, 'Body'],
    [2, 'Theirs'],
  ])
  const { custom_fields } = await read(await room.enterNextDoor(), 'notes', id)
  expect(custom_fields.theirs).toEqual({ id: made.options[0]?.id, label: 'A' })
})
