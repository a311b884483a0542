import { expect, it } from 'vitest'
import { chanceFrom } from '../../src/sample/chance.ts'
import { openPlace } from './place.ts'
import { type Fault, nameOf, racesAt } from './race.ts'
import { type Pair, relatedPairs } from './race-operations.ts'
import { concurrencySettings } from './settings.ts'

/** So many races run side by side, each in a workspace of its own. */
const LANES = 3
/** A full run takes an hour or two. It says how far it is after so many races. */
const PROGRESS = 500

const { seed, rounds, only, races } = concurrencySettings()

it('any two operations on related records end as if one ran after the other', { timeout: 4 * 3_600_000 }, async () => {
  const place = await openPlace()
  const race = racesAt(place)
  const pairs = chosenPairs()
  const all = Array.from({ length: rounds }, (_, round) => pairs.map((pair) => ({ pair, round })))
    .flat()
    .slice(0, races)
  const total = all.length
  const begun = performance.now()
  const faults = new Map<string, Fault[]>()
  const run = async ({ pair, round }: { pair: Pair; round: number }) => {
    const name = nameOf(pair)
    const fault = await race(pair, chanceFrom(`${seed} ${name} ${round}`))
    if (!fault) return
    console.log(`A race went wrong: ${name}`)
    faults.set(name, [...(faults.get(name) ?? []), fault])
  }
  let finished = 0
  const summary = (count: number) => {
    const seconds = Math.round((performance.now() - begun) / 1000)
    return `${count} of ${total} races of ${pairs.length} pairs in ${seconds} s, seed ${seed}: ${faults.size} pairs with faults`
  }
  const lane = async () => {
    for (let next = all.shift(); next; next = all.shift(), finished++) {
      await run(next)
      if ((finished + 1) % PROGRESS === 0) console.log(`${summary(finished + 1)} so far`)
    }
  }
  await Promise.all(Array.from({ length: LANES }, lane))
  console.log(summary(finished))
  expect(finished).toBeGreaterThan(0)
  expect([...faults.values()].map(reportOf).join('\n\n')).toBe('')
})

/** In an order of chance. */
function chosenPairs(): Pair[] {
  const chance = chanceFrom(seed)
  return relatedPairs()
    .filter((pair) => only === undefined || only.test(nameOf(pair)))
    .map((pair) => ({ pair, place: chance.fraction() }))
    .sort((one, other) => one.place - other.place)
    .map(({ pair }) => pair)
}

/** How often a pair failed, and one failure in full. */
function reportOf(faults: readonly Fault[]): string {
  const [{ pair = '', problems = [] } = {}] = faults
  return [`CONCURRENCY_SEED=${seed}: ${pair}: ${faults.length} of ${rounds} races`, ...problems].join('\n')
}
