import { expect, it } from 'vitest'
import { isoNow, keyOf, newRun, positionOf, type Run } from './run.ts'
import { nextItems } from './send.ts'

const NOW = '2026-11-17T12:00:00.000Z'

/** A run that has read some events, named by their records and sequences: `a11`. */
function runWith(fresh: readonly string[], webhook: object = {}): Run {
  const parts = { runtime: { now: () => new Date(NOW) } }
  const row = { state: 'active', max_in_flight: 5, epoch: 'e', sequence: 10, ...webhook }
  // Only what the functions under test read.
  const run = newRun(parts as Run['parts'], row as Run['webhook'], new AbortController().signal)
  run.fresh = fresh.map(itemOf)
  run.readUpTo = 20
  return run
}

function itemOf(name: string) {
  const [record_id, sequence] = [name.slice(0, 1), Number(name.slice(1))]
  const attributes = { resource: 'companies', record_id, sequence }
  // Only what the functions under test read.
  return { key: keyOf(attributes), entry: { id: name, attributes } } as Run['fresh'][number]
}

function block(run: Run, name: string, due_at: string): void {
  const { key, entry } = itemOf(name)
  const { record_id = '', sequence } = entry?.attributes ?? {}
  const row = { resource: 'companies', record_id, sequence: sequence ?? 0, attempt: 1, due_at, delivery_id: null }
  run.blocked.set(key, { ...row, covered: undefined })
}

/** Starts what can be started, and returns it. */
function start(run: Run): string[] {
  const items = nextItems(run)
  for (const item of items) run.sending.set(item.key, item)
  run.fresh = run.fresh.filter((item) => !items.includes(item))
  return items.map(({ key, entry }) => entry?.id ?? key)
}

const end = (run: Run, name: string) => run.sending.delete(itemOf(name).key)

it('sends events of one record one after the other, and those of others at the same time', () => {
  const run = runWith(['a11', 'a12', 'b13', 'c15'])
  expect(start(run)).toEqual(['a11', 'b13', 'c15'])
  expect(start(run)).toEqual([])
  expect(positionOf(run)).toBe(10)
  end(run, 'a11')
  expect(positionOf(run)).toBe(11)
  expect(start(run)).toEqual(['a12'])
  for (const name of ['b13', 'c15']) end(run, name)
  expect(positionOf(run)).toBe(11)
  end(run, 'a12')
  expect(positionOf(run)).toBe(20)
})

it('sends no more at once than the endpoint takes', () => {
  const run = runWith(['a11', 'b12', 'c13'], { max_in_flight: 2 })
  expect(start(run)).toEqual(['a11', 'b12'])
  end(run, 'a11')
  expect(start(run)).toEqual(['c13'])
})

it('sends events of blocked records first, and the position moves past them', () => {
  const run = runWith(['b13'], { max_in_flight: 1 })
  block(run, 'a11', isoNow(run))
  run.retries = ['a11', 'a12'].map(itemOf)
  expect(start(run)).toEqual(['a11'])
  end(run, 'a11')
  run.retries = []
  expect(start(run)).toEqual(['b13'])
  expect(positionOf(run)).toBe(12)
  end(run, 'b13')
  expect(positionOf(run)).toBe(20)
})

it('sends one event of a blocked record at a time to a failing endpoint, and no other', () => {
  const run = runWith(['c13'], { state: 'failing' })
  for (const name of ['a11', 'b12']) block(run, name, isoNow(run))
  run.retries = ['a11', 'b12'].map(itemOf)
  run.replays.waiting = ['d14'].map(itemOf)
  expect(start(run)).toEqual(['a11'])
  expect(start(run)).toEqual([])
})

it('sends the notice that events are missing before all others', () => {
  const run = runWith(['c13'])
  block(run, 'a11', isoNow(run))
  run.retries = ['a11'].map(itemOf)
  const reset = { resource: 'feed.expired', record_id: 'r', sequence: 10, attempt: 0, due_at: NOW, delivery_id: null }
  run.blocked.set(keyOf(reset), { ...reset, covered: undefined })
  expect(start(run)).toEqual(['feed.expired r'])
  expect(start(run)).toEqual([])
})
