import { isDeepStrictEqual } from 'node:util'
import type { Chance } from '../../src/sample/chance.ts'
import type { Answered } from '../api.ts'
import { isBusy } from './caller.ts'
import type { Operation, Pair, Side } from './duel-operations.ts'
import { type Outcome, outcomeOf } from './duel-outcome.ts'
import { openWorld, type World } from './duel-world.ts'
import type { Place } from './place.ts'
import { brokenRules } from './rules.ts'

/** Neither side starts more than this after the other. An operation takes about as long. */
const OFFSET_MS = 4
const BUSY_MS = 50
const BUSY_TIMES = 20

/** What was wrong with a duel: its outcome, and the two that were possible. */
export type Fault = { pair: string; problems: readonly string[] }

/** Runs pairs of operations at the same moment, and compares each outcome with the two serial ones. */
export function duelsAt(place: Place) {
  const serial = new Map<string, Promise<readonly [Outcome, Outcome]>>()
  const serialOf = (pair: Pair) => {
    const name = nameOf(pair)
    const known = serial.get(name) ?? bothOrders(place, pair)
    serial.set(name, known)
    return known
  }
  return async (pair: Pair, chance: Chance): Promise<Fault | undefined> => {
    const world = await openWorld(place)
    const outcome = await outcomeOf(world, await together(world, pair, chance))
    const problems = [...(await brokenRules(world)), ...compare(outcome, await serialOf(pair))]
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
async function bothOrders(place: Place, [one, other]: Pair): Promise<readonly [Outcome, Outcome]> {
  const worlds = [await openWorld(place), await openWorld(place)] as const
  const first = await patiently(one, worlds[0], sides[0])
  const straight = [first, await patiently(other, worlds[0], sides[1])]
  const second = await patiently(other, worlds[1], sides[1])
  const reversed = [await patiently(one, worlds[1], sides[0]), second]
  return [await outcomeOf(worlds[0], straight), await outcomeOf(worlds[1], reversed)]
}

function together(world: World, [one, other]: Pair, chance: Chance): Promise<Answered[]> {
  const offset = (chance.fraction() * 2 - 1) * OFFSET_MS
  return Promise.all([
    wait(Math.max(0, -offset)).then(() => patiently(one, world, sides[0])),
    wait(Math.max(0, offset)).then(() => patiently(other, world, sides[1])),
  ])
}

/** A service that is busy has done nothing and is asked again. */
async function patiently({ run }: Operation, world: World, side: Side): Promise<Answered> {
  let answer = await run(world, side)
  for (let times = 0; isBusy(answer) && times < BUSY_TIMES; times++) {
    await wait(BUSY_MS)
    answer = await run(world, side)
  }
  return answer
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

/** The lines of one list that the other lacks; a line that stands there twice is needed twice. */
function without(lines: readonly string[], others: readonly string[]): string[] {
  const left = [...others]
  return lines.filter((line) => {
    const at = left.indexOf(line)
    if (at >= 0) left.splice(at, 1)
    return at < 0
  })
}

async function wait(ms: number): Promise<void> {
  if (ms >= 1) await new Promise((resolve) => setTimeout(resolve, ms))
  else for (const until = performance.now() + ms; performance.now() < until; ) await Promise.resolve()
}
