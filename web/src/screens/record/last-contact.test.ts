import { expect, it } from 'vitest'
import type { ActivityItem } from '../../api/history.ts'
import type { ApiRecord } from '../../api/records.ts'
import { lastContactIn } from './last-contact.ts'

const day = (number: number) => `2026-11-${String(number).padStart(2, '0')}T10:00:00.000Z`

function recordOf(type: 'notes' | 'tasks', made: number, updated = made): ApiRecord {
  const attributes = {
    title: `${type} ${made}`,
    created_at: day(made),
    updated_at: day(updated),
    creation_source: 'web',
    custom_fields: {},
  }
  const relationships = {
    creator: { data: { id: 'ada', type: 'users' } },
    ...(type === 'tasks' && { assignees: { data: [{ id: 'mei', type: 'users' }] } }),
  }
  return { id: `${type} ${made}`, type, attributes, relationships }
}

const included = ['ada', 'mei'].map((id) => ({ id, type: 'users', attributes: { name: id } }))

function linked(kind: 'notes' | 'tasks', made: number, updated?: number): ActivityItem {
  return { id: `${made}`, at: day(made), kind, record: recordOf(kind, made, updated) }
}

function saidAt(at: number, name: string) {
  // A thread has much more, which does not matter here.
  return { comment: { id: `c${at}`, attributes: { created_at: day(at) } }, creator: { id: name, name } }
}

function threadOf(at: number, replies: readonly number[]): ActivityItem {
  const thread = { ...saidAt(at, 'Ada'), replies: replies.map((one) => saidAt(one, 'Mei')), has_earlier: false }
  return { id: `c${at}`, at: day(at), kind: 'comments', ...thread } as unknown as ActivityItem
}

const find = (data: ActivityItem[], done: readonly string[] = []) =>
  lastContactIn({ data, included, meta: { next_cursor: null } }, ({ id }) => done.includes(id))

it('the last contact is the newest of notes, comments and completed tasks, with who and when', () => {
  expect(find([])).toBeUndefined()
  expect(find([linked('tasks', 9)])).toBeUndefined()
  expect(find([linked('notes', 3), linked('notes', 5)])).toMatchObject({ at: day(5), by: { id: 'ada' } })
  // An old task that was completed later, by the one whom it was given to.
  const items = [linked('notes', 5), linked('tasks', 1, 8)]
  expect(find(items)).toMatchObject({ at: day(5) })
  expect(find(items, ['tasks 1'])).toMatchObject({ at: day(8), by: { id: 'mei' }, record: { id: 'tasks 1' } })
  expect(find([...items, threadOf(2, [])], ['tasks 1'])).toMatchObject({ at: day(8) })
})

it('a reply in an old thread counts when it was written', () => {
  expect(find([linked('notes', 5), threadOf(1, [2, 7])])).toMatchObject({
    at: day(7),
    comment: 'c7',
    by: { id: 'Mei' },
  })
})
