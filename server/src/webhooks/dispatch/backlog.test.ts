import { expect, it } from 'vitest'
import type { Entry } from '../../changes/read-part.ts'
import { newBacklog } from './backlog.ts'

const entry = (sequence: number, record_id: string): Entry => ({
  id: `e${sequence}`,
  type: 'changes',
  attributes: {
    sequence,
    kind: 'updated',
    resource: 'companies',
    record_id,
    at: '',
    changed: [],
    merged_into: null,
    external_ids: {},
    origin: null,
  },
})
const sequences = (entries: readonly Entry[]) => entries.map(({ attributes }) => attributes.sequence)
const failed = { attempt: 1, due_at: '2026-01-01', delivery_id: 'd' }

it('sends events of one record one after the other, and those of others at the same time', () => {
  const backlog = newBacklog(10, [])
  const [one, two, three, four] = [entry(11, 'a'), entry(12, 'a'), entry(13, 'b'), entry(15, 'c')]
  backlog.add([one, two, three, four], 20)
  expect(sequences(backlog.take(5))).toEqual([11, 13, 15])
  expect(backlog.take(5)).toEqual([])
  expect(backlog.position()).toBe(10)
  backlog.done(one)
  expect(backlog.position()).toBe(11)
  expect(sequences(backlog.take(5))).toEqual([12])
  backlog.done(three)
  backlog.done(four)
  expect(backlog.position()).toBe(11)
  backlog.done(two)
  expect(backlog.position()).toBe(20)
})

it('moves past the events of a blocked record', () => {
  const backlog = newBacklog(10, [])
  const [one, other] = [entry(11, 'a'), entry(13, 'b')]
  backlog.add([one, entry(12, 'a'), other], 13)
  backlog.take(2)
  backlog.block(one, failed)
  backlog.done(other)
  backlog.add([entry(14, 'a')], 14)
  expect(backlog.take(5)).toEqual([])
  expect(backlog.position()).toBe(14)
  expect(backlog.due('2026-01-02')).toMatchObject([{ record_id: 'a', sequence: 11 }])
  expect(backlog.due('2025-12-31')).toEqual([])
  expect(backlog.nextDue()).toBe('2026-01-01')
})

it('gives events that were not begun back in their order', () => {
  const backlog = newBacklog(0, [])
  backlog.add([entry(1, 'a'), entry(2, 'b'), entry(3, 'a')], 3)
  backlog.putBack(backlog.take(1))
  expect(sequences(backlog.take(5))).toEqual([1, 2])
})
