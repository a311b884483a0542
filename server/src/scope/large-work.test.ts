import { expect, it } from 'vitest'
import { encodeInParts, LARGE_BYTES, mapInParts } from './large-work.ts'

/** Counts the turns of the event loop from now on. */
function turns() {
  let count = 0
  let handle: NodeJS.Immediate
  const next = () => {
    count++
    handle = setImmediate(next)
  }
  handle = setImmediate(next)
  return { count: () => count, stop: () => clearImmediate(handle) }
}

const half = 'x'.repeat(LARGE_BYTES / 2)
const lengthOf = (text: string) => text.length

it('the event loop turns after each 256 KB of large work, and not for small work', async () => {
  const { count, stop } = turns()
  expect(await mapInParts([1, 2, 3], String, lengthOf)).toEqual(['1', '2', '3'])
  expect(count()).toBe(0)
  const at: number[] = []
  await mapInParts(
    Array.from({ length: 6 }, () => half),
    (text) => {
      at.push(count())
      return text
    },
    lengthOf,
  )
  stop()
  const [first, second, third, fourth, fifth, sixth] = at
  expect([second, fourth, sixth]).toEqual([first, third, fifth])
  expect(new Set(at).size).toBe(3)
})

it('several large works never go on in the same turn', async () => {
  const { count, stop } = turns()
  const at: number[] = []
  const work = () =>
    mapInParts(
      Array.from({ length: 8 }, () => half),
      (text) => {
        at.push(count())
        return text
      },
      lengthOf,
    )
  await Promise.all([work(), work(), work()])
  stop()
  // All three begin at once. After that, each turn has the two halves of one part.
  const later = at.filter((turn) => turn !== at[0])
  const perTurn = [...Map.groupBy(later, (turn) => turn).values()].map(({ length }) => length)
  expect(Math.max(...perTurn)).toBe(2)
})

it.each(['a', 'é', '€', '😀', 'a😀', '\u0000', '"\n'])(
  'a large text of %j is encoded as it is at once',
  async (unit) => {
    const text = unit.repeat(Math.ceil((LARGE_BYTES * 2.5) / unit.length))
    const bytes = await encodeInParts(text)
    expect(Buffer.from(bytes).equals(Buffer.from(text))).toBe(true)
  },
)
