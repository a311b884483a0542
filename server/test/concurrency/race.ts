import { isDeepStrictEqual } from 'node:util'
import type { Chance } from '../../src/sample/chance.ts'
import type { Answered } from '../api.ts'
import type { Place } from './place.ts'
import type { Pair, Side } from './race-operations.ts'
import { type Outcome, outcomeOf } from './race-outcome.ts'
import { openWorld, type World } from './race-world.ts'
import { brokenRules } from './rules.ts'

/** What was wrong with a race: its outcome, and the two that were possible. */
export type Fault = { pair: string; problems: readonly string[] }

/** What running one after the other leads to, and how many milliseconds each operation took. */
type Serial = { outcomes: readonly [Outcome, Outcome]; took: readonly [number, number] }

/** Runs pairs of operations at the same moment, and compares each outcome with the two serial ones. */
export function racesAt(place: Place) {
  const known = new Map<string, Promise<Serial>>()
  const serialOf = (pair: Pair) => {
    const serial = known.get(nameOf(pair)) ?? bothOrders(place, pair)
    known.set(nameOf(pair), serial)
    return serial
  }
  return async (pair: Pair, chance: Chance): Promise<Fault | undefined> => {
    const { outcomes, took } = await serialOf(pair)
    const world = await openWorld(place)
    // Both start at once, or one of them at a moment at which the other is under way.
    const offset = chance.oneIn(3) ? 0 : chance.fraction() * (took[0] + took[1]) - took[1]
    const outcome = await outcomeOf(world, await together(world, pair, offset))
    const problems = [...(await brokenRules(world)), ...compare(outcome, outcomes)]
    return problems.length === 0 ? undefined : { pair: nameOf(pair), problems }
  }
}

export function nameOf([one, other]: Pair): string {
  return `${one.name} × ${other.name}`
}

const sides: readonly [Side, Side] = [
  { node: 0, by: 'first' },
  { node: 1, by: 'second' },
]

/** The serial outcomes, by running both orders in worlds of their own. */
async function bothOrders(place: Place, [one, other]: Pair): Promise<Serial> {
  const worlds = [await openWorld(place), await openWorld(place)] as const
  const begun = performance.now()
  const first = await one.run(worlds[0], sides[0])
  const between = performance.now()
  const straight = [first, await other.run(worlds[0], sides[1])]
  const took = [between - begun, performance.now() - between] as const
  const second = await other.run(worlds[1], sides[1])
  const reversed = [await one.run(worlds[1], sides[0]), second]
  return { outcomes: [await outcomeOf(worlds[0], straight), await outcomeOf(worlds[1], reversed)], took }
}

/** A positive offset is how many milliseconds the second starts after the first. */
function together(world: World, [one, other]: Pair, offset: number): Promise<Answered[]> {
  return Promise.all([
    wait(Math.max(0, -offset)).then(() => one.run(world, sides[0])),
    wait(Math.max(0, offset)).then(() => other.run(world, sides[1])),
  ])
}

function compare(outcome: Outcome, serial: readonly Outcome[]): string[] {
  if (serial.some((one) => isDeepStrictEqual(one, outcome))) return []
  return serial.flatMap((one, index) => [
    `It is not the outcome of ${index === 0 ? 'the first, then the second' : 'the second, then the first'}:`,
    ...difference(one.answers, outcome.answers, 'answered'),
    ...difference(one.state, outcome.state, ''),
  ])
}

function difference(expected: readonly string[], actual: readonly string[], word: string): string[] {
  return [
    ...without(expected, actual).map((line) => `  - ${word} ${line}`),
    ...without(actual, expected).map((line) => `  + ${word} ${line}`),
  ]
}

/** The lines of one list that the other lacks; a line that occurs twice is needed twice. */
function without(lines: readonly string[], others: readonly string[]): string[] {
  const left = [...others]
  return lines.filter((line) => {
    const at = left.indexOf(line)
    if (at >= 0) left.splice(at, 1)
    return at < 0
  })
}

async function wait(ms: number): Promise<void> {
  if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms))
}
