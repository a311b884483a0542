import { type ResourceName, resourceIn } from '@kith/contract/resource'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { reindexWorkspace } from '../../../src/records/reindex.ts'
import { listFieldDefinitions } from '../../../src/schema/managed.ts'
import { sql } from '../../../src/storage/engines/sql.ts'
import { make, openRoom, type Room, read, refusalOf } from './room.ts'

let room: Room
beforeAll(async () => {
  room = await openRoom()
})
afterAll(() => room.close())

test('a new workspace has the fields of the contract', async () => {
  const { schema } = await room.enter()
  const rows = [...schema.values()].flatMap(({ type, fields }) =>
    fields.list.map((field) => {
      const marks = [field.system && 'system', field.multiple && 'multiple', field.unique && 'unique'].filter(Boolean)
      return [type, field.position, field.code, field.name, field.type, marks.join(' ')].join(' | ')
    }),
  )
  expect(rows).toEqual([
    'companies | 1 | domains | Domains | domain | system multiple unique',
    'companies | 2 | linkedin | LinkedIn | link | ',
    'companies | 3 | icp | ICP | toggle | ',
    'people | 1 | emails | Emails | email | system multiple unique',
    'people | 2 | phone_number | Phone number | phone | ',
    'people | 3 | job_title | Job title | text | ',
    'people | 4 | linkedin | LinkedIn | link | ',
    'opportunities | 1 | stage | Stage | select | system',
    'opportunities | 2 | amount | Amount | currency | system',
    'opportunities | 3 | close_date | Close date | date | system',
    'opportunities | 4 | owner | Owner | member | ',
    'tasks | 1 | status | Status | select | system',
    'tasks | 2 | priority | Priority | select | system',
    'tasks | 3 | due_date | Due date | date-time | system',
    'tasks | 4 | description | Description | rich-text | ',
    'notes | 1 | body | Body | rich-text | system',
  ])
  const labels = (code: string) =>
    resourceIn(schema, 'tasks')
      .fields.byCode.get(code)
      ?.options.map((option) => option.label)
  expect(labels('status')).toEqual(['To do', 'In progress', 'Done'])
  expect(labels('priority')).toEqual(['Low', 'Medium', 'High'])
  const { byCode } = resourceIn(schema, 'opportunities').fields
  expect(byCode.get('stage')?.options).toHaveLength(10)
  expect(byCode.get('amount')?.settings).toEqual({ currency: 'USD', decimals: 2 })
})

test('kith reindex gives an existing workspace the fields of a resource that is new', async () => {
  const before = await room.enterNextDoor()
  await sql`delete from custom_fields where workspace_id = ${before.workspace.id} and entity_type = 'notes'`.run(
    before.engine.single,
  )
  await reindexWorkspace(before)
  const scope = await room.enterNextDoor()
  expect(resourceIn(scope.schema, 'notes').fields.list.map(({ code, system }) => [code, system])).toEqual([
    ['body', true],
  ])
  expect(resourceIn(scope.schema, 'tasks').fields.list).toHaveLength(4)
  const id = await make(scope, 'notes', { body: 'Written' })
  expect((await read(scope, 'notes', id)).custom_fields).toEqual({ body: 'Written' })
})

test('the list shows the attributes of the contract in their order, by resource, then position', async () => {
  const scope = await room.enter()
  const all = await listFieldDefinitions(scope, asked({ per_page: '100' }))
  expect(all.total).toBe(16)
  const types = all.data.map((field) => field.attributes.entity_type)
  const place = (type: ResourceName) => [...scope.schema.keys()].indexOf(type)
  expect(types).toEqual(types.toSorted((a, b) => place(a) - place(b)))
  expect(Object.keys(all.data[0]?.attributes ?? {})).toEqual(
    'code name type entity_type description required unique multiple max_values position options settings created_at updated_at'.split(
      ' ',
    ),
  )
  const second = await listFieldDefinitions(scope, asked({ entity_type: 'tasks', per_page: '3', page: '2' }))
  expect(second).toMatchObject({ total: 4, page: 2, per_page: 3 })
  expect(second.data.map((field) => field.attributes.code)).toEqual(['description'])
})

test('whatever the list does not know is refused', async () => {
  const scope = await room.enter()
  const refusal = await refusalOf(
    listFieldDefinitions(scope, asked({ entity_type: 'task', per_page: '0', sort: 'name' })),
  )
  expect(refusal.reason).toMatchObject({
    issues: [
      { path: 'sort' },
      { path: 'per_page' },
      { path: 'entity_type', message: expect.stringContaining('Did you mean tasks?') },
    ],
  })
  const blind = { ...scope, actor: { ...scope.actor, abilities: ['create'] as const } }
  expect((await refusalOf(listFieldDefinitions(blind, asked({})))).reason.kind).toBe('forbidden')
})

function asked(raw: Record<string, unknown>) {
  return { raw, loose: true, issues: [] }
}
