import { expect, it } from 'vitest'
import { type ActivityDraft, inputOf, isEmpty } from './activity-draft.ts'

const draft = (changes: Partial<ActivityDraft>): ActivityDraft => ({
  ...{ kind: 'notes', title: '', body: '', due: '', assignee: '', ...changes },
})

it('a note without a title is called like its first line, without the marks of Markdown', () => {
  expect(inputOf(draft({ body: '## They agree\n\nNext week.' }))).toEqual({
    title: 'They agree',
    custom_fields: { body: '## They agree\n\nNext week.' },
  })
  expect(inputOf(draft({ title: ' Call ' }))).toEqual({ title: 'Call', custom_fields: {} })
  expect(inputOf(draft({ body: '---' })).title).toBe('Note')
})

it('a task has a title, and a date and an assignee if they were chosen', () => {
  expect(inputOf(draft({ kind: 'tasks', title: 'Write', body: 'left over' }))).toEqual({
    ...{ title: 'Write', custom_fields: {} },
  })
  const due = '2026-11-20T10:00'
  expect(inputOf(draft({ kind: 'tasks', title: 'Write', due, assignee: 'x' }))).toEqual({
    ...{ title: 'Write', assignee_ids: ['x'], custom_fields: { due_date: new Date(due).toISOString() } },
  })
})

it('a text makes a note, but not a task', () => {
  expect([isEmpty(draft({ body: 'x' })), isEmpty(draft({ kind: 'tasks', body: 'x' }))]).toEqual([false, true])
})
