import { expect, it } from 'vitest'
import { fairQueue, type Owner, type QueueSettings } from './fair-queue.ts'

/** A queue with its own clock, and tasks that run until the test ends them. */
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

/** The token or user of a workspace. By default, each workspace has a different user. */
const of = (workspace: string, actor = 'token', user = `user of ${workspace}`): Owner => {
  return { workspace, user, actor: `${workspace} ${actor}` }
}

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
  // Ten times as long as the slow task took.
  clock.at = 11_001
  void run('y2', of('a', 'y'))
  await settled()
  expect(begun).toEqual(['slow', 'x1', 'y1', 'x2'])
})

it('a user has one share in all workspaces and with all tokens, and other users get the rest', async () => {
  const { run, end, begun } = opened({ share: 2 })
  for (const name of ['a1', 'b1', 'a2', 'b2']) void run(name, of(name[0] ?? '', name, 'ann'))
  await settled()
  expect(begun).toEqual(['a1', 'b1'])
  void run('c1', of('c', 'token', 'ben'))
  await settled()
  expect(begun).toEqual(['a1', 'b1', 'c1'])
  // Another user of the workspace does not wait for the share of the first one.
  await end('c1')
  void run('b3', of('b', 'b3', 'ben'))
  await settled()
  expect(begun).toEqual(['a1', 'b1', 'c1', 'b3'])
  await end('a1')
  expect(begun.slice(4)).toEqual(['a2'])
})

it('users with less under way come first, however many workspaces another one waits in', async () => {
  let places = 1
  const { queue, run, end, begun } = opened({ share: 2, places: () => places })
  for (const workspace of ['a', 'b', 'c', 'd']) void run(workspace, of(workspace, 'token', 'ann'))
  void run('n', of('n', 'token', 'ben'))
  places = 2
  queue.startWaiting()
  await settled()
  expect(begun).toEqual(['a', 'n'])
  await end('a')
  expect(begun).toEqual(['a', 'n', 'b'])
})

it('the slow work of a user in several workspaces gets a quarter of one share', async () => {
  const { run, end, begun, clock } = opened({ share: 2 })
  for (const workspace of ['a', 'b']) void run(`slow ${workspace}`, of(workspace, 'token', 'ann'))
  await settled()
  clock.at = 1000
  for (const workspace of ['a', 'b']) await end(`slow ${workspace}`)
  for (const workspace of ['a', 'b']) void run(workspace, of(workspace, 'token', 'ann'))
  await settled()
  expect(begun.slice(2)).toEqual(['a'])
  await end('a')
  expect(begun.slice(2)).toEqual(['a', 'b'])
})

it('work that is known to be slow, or has a slow outcome, counts as slow however long it takes', async () => {
  const { run, end, begun, clock } = opened({ share: 4, isSlow: (outcome) => outcome === 'x1' })
  const known: Owner = { ...of('a', 'x large'), slow: true }
  for (const name of ['large1', 'large2']) void run(name, known)
  void run('x1', of('a', 'x'))
  await settled()
  expect(begun).toEqual(['large1', 'x1'])
  await end('x1')
  void run('x2', of('a', 'x'))
  await settled()
  expect(begun).toEqual(['large1', 'x1'])
  clock.at = 2001
  await end('large1')
  expect(begun).toEqual(['large1', 'x1', 'large2', 'x2'])
})

it('slow work never gets the last places, also if it belongs to many users', async () => {
  const { run, end, begun, clock } = opened({ share: 2, slowPlaces: 2 })
  const workspaces = ['a', 'b', 'c']
  for (const workspace of workspaces) void run(`slow ${workspace}`, of(workspace))
  await settled()
  clock.at = 1000
  for (const workspace of workspaces) await end(`slow ${workspace}`)
  for (const workspace of workspaces) void run(workspace, of(workspace))
  await settled()
  expect(begun.slice(3)).toEqual(['a', 'b'])
  void run('n', of('n'))
  await settled()
  expect(begun.slice(3)).toEqual(['a', 'b', 'n'])
  await end('n')
  expect(begun.slice(3)).toEqual(['a', 'b', 'n'])
  await end('a')
  expect(begun.slice(3)).toEqual(['a', 'b', 'n', 'c'])
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

it('begins more when there are more places, and leaves the last one of several to others', async () => {
  let places = 1
  const { queue, run, begun } = opened({ share: 2, places: () => places })
  for (const name of ['a1', 'a2']) void run(name, of('a'))
  await settled()
  expect(begun).toEqual(['a1'])
  places = 2
  queue.startWaiting()
  await settled()
  expect([begun, queue.hasWaiting()]).toEqual([['a1'], true])
  void run('b1', of('b'))
  await settled()
  expect(begun).toEqual(['a1', 'b1'])
  places = 3
  queue.startWaiting()
  await settled()
  expect([begun, queue.hasWaiting()]).toEqual([['a1', 'b1', 'a2'], false])
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
