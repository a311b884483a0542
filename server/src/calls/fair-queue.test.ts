import { expect, it } from 'vitest'
import { fairQueue, type Owner, type QueueSettings } from './fair-queue.ts'

/** A queue with a clock of its own, and work that goes on until it is told to end. */
function opened(settings: Partial<QueueSettings> & { share: number }) {
  const clock = { at: 0 }
  const begun: string[] = []
  const ends = new Map<string, () => void>()
  const queue = fairQueue({ places: () => 3, now: () => clock.at, ...settings })
  const run = (name: string, owner: Owner, isDisconnected?: () => boolean) => {
    const { promise, resolve } = Promise.withResolvers<string>()
    ends.set(name, () => resolve(name))
    const work = () => {
      begun.push(name)
      return promise
    }
    return queue.run(owner, work, isDisconnected)
  }
  const end = async (name: string) => {
    ends.get(name)?.()
    await settled()
  }
  return { queue, run, end, begun, clock }
}

const settled = () => new Promise((resolve) => setImmediate(resolve))

const of = (workspace: string, actor = 'token'): Owner => ({ workspace, actor: `${workspace} ${actor}` })

it('a workspace that has filled its share leaves a place, and another workspace gets it at once', async () => {
  const { run, end, begun } = opened({ share: 2 })
  for (const name of ['a1', 'a2', 'a3', 'a4']) void run(name, of('a'))
  await settled()
  expect(begun).toEqual(['a1', 'a2'])
  void run('b1', of('b'))
  await settled()
  expect(begun).toEqual(['a1', 'a2', 'b1'])
  await end('a1')
  expect(begun).toEqual(['a1', 'a2', 'b1', 'a3'])
})

it('workspaces that wait take turns, however much one of them has waiting', async () => {
  const { run, end, begun } = opened({ share: 1, places: () => 1 })
  void run('z', of('z'))
  for (const name of ['a1', 'a2', 'a3', 'a4']) void run(name, of('a'))
  for (const name of ['b1', 'b2']) void run(name, of('b'))
  void run('c1', of('c'))
  await settled()
  for (const name of ['z', 'a1', 'b1', 'c1', 'a2', 'b2', 'a3']) await end(name)
  expect(begun).toEqual(['z', 'a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4'])
})

it('a workspace with nothing under way comes before one that has something', async () => {
  let places = 1
  const { queue, run, begun } = opened({ share: 2, places: () => places })
  for (const name of ['a1', 'a2']) void run(name, of('a'))
  void run('b1', of('b'))
  places = 2
  queue.startWaiting()
  await settled()
  expect(begun).toEqual(['a1', 'b1'])
})

it('within a workspace, tokens and users take turns', async () => {
  const { run, end, begun } = opened({ share: 1 })
  void run('z', of('a', 'z'))
  for (const name of ['x1', 'x2', 'x3']) void run(name, of('a', 'x'))
  for (const name of ['y1', 'y2']) void run(name, of('a', 'y'))
  await settled()
  for (const name of ['z', 'x1', 'y1', 'x2', 'y2']) await end(name)
  expect(begun).toEqual(['z', 'x1', 'y1', 'x2', 'y2', 'x3'])
})

it('actors whose work was slow get a quarter of the share, until some time after that', async () => {
  const { run, end, begun, clock } = opened({ share: 2 })
  void run('slow', of('a', 'x'))
  await settled()
  clock.at = 1000
  await end('slow')
  for (const name of ['x1', 'x2']) void run(name, of('a', 'x'))
  await settled()
  expect(begun).toEqual(['slow', 'x1'])
  void run('y1', of('a', 'y'))
  await settled()
  expect(begun).toEqual(['slow', 'x1', 'y1'])
  await end('y1')
  expect(begun).toEqual(['slow', 'x1', 'y1'])
  // Ten times as long as the slow work took.
  clock.at = 11_001
  void run('y2', of('a', 'y'))
  await settled()
  expect(begun).toEqual(['slow', 'x1', 'y1', 'x2'])
})

it('what its client no longer waits for is not done, and does not take a turn', async () => {
  const { run, end, begun } = opened({ share: 1 })
  let gone = false
  void run('a1', of('a'))
  const dropped = run('a2', of('a'), () => gone)
  void run('a3', of('a'))
  await settled()
  gone = true
  await end('a1')
  expect(await dropped).toBeUndefined()
  expect(begun).toEqual(['a1', 'a3'])
})

it('work that fails gives its place back', async () => {
  const { queue, run, begun } = opened({ share: 1 })
  const failed = queue.run(of('a'), async () => {
    throw new Error('It failed.')
  })
  void run('a1', of('a'))
  await expect(failed).rejects.toThrow('It failed.')
  await settled()
  expect(begun).toEqual(['a1'])
})

it('begins more when there are more places', async () => {
  let places = 1
  const { queue, run, begun } = opened({ share: 2, places: () => places })
  for (const name of ['a1', 'a2']) void run(name, of('a'))
  await settled()
  expect(begun).toEqual(['a1'])
  places = 2
  queue.startWaiting()
  await settled()
  expect(begun).toEqual(['a1', 'a2'])
})

it('is full for a workspace with too much waiting, or with much that waits for long, and not for another', async () => {
  const { queue, run, clock } = opened({ share: 1 })
  for (let index = 0; index <= 100; index++) void run(`a${index}`, of('a'))
  expect(queue.isFull('a')).toBe(false)
  clock.at = 10_001
  expect(queue.isFull('a')).toBe(true)
  expect(queue.isFull('b')).toBe(false)
  clock.at = 0
  for (let index = 101; index <= 800; index++) void run(`a${index}`, of('a'))
  expect(queue.isFull('a')).toBe(true)
})
