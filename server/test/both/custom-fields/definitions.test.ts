import { resourceIn } from '@kith/contract/resource'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { atVersion } from '../../../src/fields/definitions.ts'
import { createField, updateField } from '../../../src/schema/define.ts'
import { inTransaction } from '../../../src/scope/scope.ts'
import { issuesOf, openRoom, type Room } from './room.ts'

let room: Room
beforeAll(async () => {
  room = await openRoom()
})
afterAll(() => room.close())

test('the schema comes from memory as long as its version is current', async () => {
  const scope = await room.enter()
  expect((await room.enter()).schema).toBe(scope.schema)
  await createField(scope, 'notes', { name: 'More', type: 'text' })
  const next = await room.enter()
  expect(next.workspace.fields_version).toBe(scope.workspace.fields_version + 1)
  expect(resourceIn(next.schema, 'notes').fields.byCode.has('more')).toBe(true)
  expect(resourceIn(next.schema, 'notes').fields.list).toHaveLength(2)
})

test('every change moves the version, a refused one does not', async () => {
  const before = (await room.enter()).workspace.fields_version
  await issuesOf(createField(await room.enter(), 'notes', { name: '', type: 'text' }))
  expect((await room.enter()).workspace.fields_version).toBe(before)
  await updateField(await room.enter(), { entity_type: 'notes', code: 'body' }, { name: 'Text' })
  expect((await room.enter()).workspace.fields_version).toBe(before + 1)
})

test('what a transaction that fails has seen is not remembered', async () => {
  const scope = await room.enter()
  const failing = inTransaction(scope, async (inside) => {
    await createField(inside, 'notes', { name: 'Ghost', type: 'text' })
    const { schema } = await atVersion(inside, inside.workspace.fields_version + 1)
    expect(resourceIn(schema, 'notes').fields.byCode.has('ghost')).toBe(true)
    throw new Error('rolled back')
  })
  await expect(failing).rejects.toThrow('rolled back')
  await createField(await room.enter(), 'notes', { name: 'Real', type: 'text' })
  const { byCode } = resourceIn((await room.enter()).schema, 'notes').fields
  expect([byCode.has('ghost'), byCode.has('real')]).toEqual([false, true])
})

test('each workspace has its own schema', async () => {
  await createField(await room.enterNextDoor(), 'notes', { name: 'Theirs', type: 'text' })
  expect(resourceIn((await room.enterNextDoor()).schema, 'notes').fields.byCode.has('theirs')).toBe(true)
  expect(resourceIn((await room.enter()).schema, 'notes').fields.byCode.has('theirs')).toBe(false)
})
