import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { ScopeFacts } from '../scope/scope.ts'
import { pollWorkspaces } from './live-updates.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const factsOf = (id: string): ScopeFacts => ({
  workspace: { id, number: 1, slug: id, name: id, fields_version: 1 },
  actor: { user_id: 'u', role: 'owner', abilities: ['read'], token_id: null, source: 'api' },
})

function opened() {
  const reads: string[] = []
  const failures: unknown[] = []
  let broken = false
  const poll = pollWorkspaces(
    async ({ workspace }) => {
      reads.push(workspace.id)
      if (broken) throw new Error('away')
      return reads.length
    },
    (error) => failures.push(error),
  )
  const break_ = (is: boolean) => {
    broken = is
  }
  return { poll, reads, failures, break_ }
}

it('reads each workspace with listeners once a second, whatever their number, and no other', async () => {
  const { poll, reads } = opened()
  const heard: number[] = []
  const stops = Array.from({ length: 50 }, () => poll.listen(factsOf('a'), (value) => heard.push(value)))
  await vi.advanceTimersByTimeAsync(2500)
  expect(reads).toEqual(['a', 'a', 'a'])
  expect(heard.filter((value) => value === 3)).toHaveLength(50)
  for (const stop of stops) stop()
  await vi.advanceTimersByTimeAsync(5000)
  expect(reads).toHaveLength(3)
})

it('a later listener gets the last value at once', async () => {
  const { poll } = opened()
  poll.listen(factsOf('a'), () => {})
  await vi.advanceTimersByTimeAsync(0)
  const heard: number[] = []
  poll.listen(factsOf('a'), (value) => heard.push(value))
  expect(heard).toEqual([1])
})

it('reads earlier after a write, but not for every one of many', async () => {
  const { poll, reads } = opened()
  poll.listen(factsOf('a'), () => {})
  await vi.advanceTimersByTimeAsync(10)
  for (let write = 0; write < 250; write++) {
    poll.soon('a')
    poll.soon('b')
    await vi.advanceTimersByTimeAsync(1)
  }
  expect(reads).toEqual(['a', 'a', 'a'])
})

it('a failed read is reported and tried again', async () => {
  const { poll, failures, break_ } = opened()
  const heard: number[] = []
  break_(true)
  poll.listen(factsOf('a'), (value) => heard.push(value))
  await vi.advanceTimersByTimeAsync(500)
  expect(failures).toHaveLength(1)
  break_(false)
  await vi.advanceTimersByTimeAsync(1000)
  expect(heard).toEqual([2])
})
