import { expect, it } from 'vitest'
import { fairTurns } from './fair-turns.ts'

/** Work that goes on until it is told to end, and says when it began. */
function piece(begun: string[], name: string) {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const work = () => {
    begun.push(name)
    return promise
  }
  return { work, end: () => resolve(name), fail: () => reject(new Error(name)) }
}

const settled = () => new Promise((resolve) => setImmediate(resolve))

it('so many of a name run at once, the others in their order as places become free, and other names do not wait', async () => {
  const begun: string[] = []
  const turn = fairTurns(2)
  const [a1, a2, a3, a4, b1] = ['a1', 'a2', 'a3', 'a4', 'b1'].map((name) => piece(begun, name))
  const runs = [a1, a2, a3, a4].map((one) => turn('a', one?.work ?? (async () => '')))
  const other = turn('b', b1?.work ?? (async () => ''))
  await settled()
  expect(begun).toEqual(['a1', 'a2', 'b1'])
  a2?.fail()
  await expect(runs[1]).rejects.toThrow('a2')
  await settled()
  expect(begun).toEqual(['a1', 'a2', 'b1', 'a3'])
  for (const one of [a1, a3, a4, b1]) one?.end()
  expect(await Promise.all([runs[0], runs[2], runs[3], other])).toEqual(['a1', 'a3', 'a4', 'b1'])
  const again = piece(begun, 'a5')
  const run = turn('a', again.work)
  again.end()
  expect(await run).toBe('a5')
})
