import { expect, it } from 'vitest'
import { chanceFrom } from '../../src/sample/chance.ts'
import { duelsAt, type Fault, nameOf } from './duel.ts'
import { type Pair, relatedPairs } from './duel-operations.ts'
import { openPlace } from './place.ts'
import { stormSettings } from './settings.ts'

/** So many duels run side by side, each in a workspace of its own. */
const LANES = 3

const { seed, rounds, only } = stormSettings()

it('any two operations on related records end as if one ran after the other', { timeout: 3_600_000 }, async () => {
  const place = await openPlace()
  const duel = duelsAt(place)
  const pairs = relatedPairs().filter((pair) => only === undefined || only.test(nameOf(pair)))
  const all = Array.from({ length: rounds }, (_, round) => pairs.map((pair) => ({ pair, round }))).flat()
  const begun = performance.now()
  const faults = new Map<string, Fault[]>()
  const run = async ({ pair, round }: { pair: Pair; round: number }) => {
    const name = nameOf(pair)
    const fault = await duel(pair, chanceFrom(`${seed} ${name} ${round}`))
    if (fault) faults.set(name, [...(faults.get(name) ?? []), fault])
  }
  const lane = async () => {
    for (let next = all.shift(); next; next = all.shift()) await run(next)
  }
  await Promise.all(Array.from({ length: LANES }, lane))
  const seconds = Math.round((performance.now() - begun) / 1000)
  console.log(
    `${pairs.length} pairs, ${rounds} duels each, ${seconds} s, seed ${seed}: ${faults.size} pairs with faults`,
  )
  expect([...faults.values()].map((some) => report(some, rounds)).join('\n\n')).toBe('')
})

/** How often a pair failed, and one failure in full. */
function report(faults: readonly Fault[], rounds: number): string {
  return [`${faults[0]?.pair}: ${faults.length} of ${rounds}`, ...(faults[0]?.problems ?? [])].join('\n')
}
