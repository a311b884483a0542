import { registry } from '@kith/contract/registry'
import { expect, it } from 'vitest'
import { removeReminder, replaceReminder, replaceRepeat } from '../../../src/records/tasks/task-plan.ts'
import { removeRecord } from '../../../src/records/trash/restore.ts'
import { dueAt, reminded } from './reminded.ts'

/** A task of nobody that Grace wants to be reminded of. */
async function remindedOf(wanted: object, custom_fields: object = dueAt('12:00')) {
  const world = await reminded()
  const { ada, as, newTask, due } = world
  const id = await newTask({ title: 'Call', custom_fields })
  const remind = async (wanted: object) => replaceReminder(await as(ada), id, wanted)
  await remind(wanted)
  return { ...world, id, remind, texts: async () => (await due(ada)).map(([text]) => text) }
}

it('a reminder comes an hour before the due date, once, on several nodes, to its member only', async () => {
  const { owner, id, at, due, texts, ada } = await remindedOf({ minutes_before: 60 })
  await at('10:59')
  expect(await texts()).toEqual([])
  await at('11:00')
  await at('11:01')
  expect(await due(ada)).toEqual([['Reminder: the task Call is due in an hour.', null, id]])
  expect(await due(owner)).toEqual([])
  await at('12:00')
  expect(await due(owner)).toEqual([['The task Call is due.', null, id]])
  expect(await texts()).toHaveLength(1)
})

it('a reminder at the due date is not told twice to an assignee', async () => {
  const { owner, ada, as, newTask, at, due } = await reminded()
  const id = await newTask({ title: 'Call', assignee_ids: [ada.id], custom_fields: dueAt('12:00') })
  for (const person of [ada, owner]) await replaceReminder(await as(person), id, { minutes_before: 0 })
  await at('12:00')
  await at('12:01')
  expect(await due(ada)).toEqual([['The task Call is due.', null, id]])
  expect(await due(owner)).toEqual([['The task Call is due.', null, id]])
})

it('a reminder follows the due date, and comes again for another one', async () => {
  const { id, change, at, texts } = await remindedOf({ minutes_before: 60 })
  await change(id, { custom_fields: dueAt('14:00') })
  await at('12:00')
  expect(await texts()).toEqual([])
  await at('13:00')
  expect(await texts()).toHaveLength(1)
  await change(id, { custom_fields: dueAt('16:00') })
  await at('15:00')
  expect(await texts()).toHaveLength(2)
})

it('a reminder a day before, and one whose time was over when it was set', async () => {
  const { id, change, remind, at, texts } = await remindedOf({ minutes_before: 1440 })
  await at('08:30')
  expect(await texts()).toEqual([])
  await change(id, { custom_fields: { due_date: '2026-11-15T10:00:00Z' } })
  await at('10:00')
  expect(await texts()).toEqual(['Reminder: the task Call is due in a day.'])
  await remind({ minutes_before: 60 })
  await at('10:01')
  expect(await texts()).toHaveLength(1)
})

it('a reminder at a chosen time, also without a due date', async () => {
  const { remind, at, texts } = await remindedOf({ at: '2026-11-14T09:00:00Z' }, {})
  await at('09:00')
  await at('09:01')
  expect(await texts()).toEqual(['Reminder: the task Call.'])
  await remind({ at: '2026-11-14T09:30:00Z' })
  await at('09:30')
  expect(await texts()).toHaveLength(2)
})

it('nothing comes of a task that is done or in the trash, nor of a reminder that was taken away', async () => {
  const { ada, owner, as, newTask, change, at, due } = await reminded()
  const ids = await Promise.all(
    ['Done', 'Gone', 'Not any more'].map((title) => newTask({ title, custom_fields: dueAt('12:00') })),
  )
  const [done = '', gone = '', ended = ''] = ids
  for (const id of ids) await replaceReminder(await as(ada), id, { minutes_before: 60 })
  await change(done, { custom_fields: { status: 'Done' } })
  await removeRecord(await as(owner), registry.tasks, { id: gone })
  await removeReminder(await as(ada), ended)
  await at('11:00')
  expect(await due(ada)).toEqual([])
})

it('the reminder of a task that repeats is set for the next one, too; a chosen time is not', async () => {
  const { owner, as, id, change, remind, at, texts } = await remindedOf({ minutes_before: 60 })
  await replaceRepeat(await as(owner), id, { unit: 'day' })
  await replaceReminder(await as(owner), id, { at: '2026-11-14T10:00:00Z' })
  await change(id, { custom_fields: { status: 'Done' } })
  await at('11:00')
  expect(await texts()).toEqual([])
  await remind({ minutes_before: 0 })
  await at('23:59', '2026-11-15')
  expect(await texts()).toEqual(['Reminder: the task Call is due in an hour.'])
})
