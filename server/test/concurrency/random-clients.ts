import { type Chance, chanceFrom } from '../../src/sample/chance.ts'
import { type Deed, isDone } from './history.ts'
import { listQueries } from './list-queries.ts'
import type { Place } from './place.ts'
import { askedFor, listSome, readOne, scanThrough } from './random-reads.ts'
import { changeRole, makeUnique, replaceOption, useToken } from './random-settings-steps.ts'
import {
  changeNothing,
  changeTier,
  createAsWorker,
  createOne,
  deleteOne,
  mergeTwo,
  rest,
  restoreOne,
  type Step,
  undoChange,
  undoOne,
  updateOne,
  upsertOne,
} from './random-writes.ts'
import { openRun, type RandomRun } from './world.ts'

/** How often each step is taken, compared with the others. */
const steps: readonly [Step, number][] = [
  [createOne, 10],
  [createAsWorker, 2],
  [updateOne, 22],
  [changeNothing, 2],
  [deleteOne, 5],
  [upsertOne, 6],
  [restoreOne, 6],
  [mergeTwo, 6],
  [undoOne, 4],
  [changeTier, 3],
  [undoChange, 6],
  [replaceOption, 1],
  [makeUnique, 1],
  [changeRole, 2],
  [useToken, 1],
  [readOne, 10],
  [listSome, 12],
  [scanThrough, 3],
]

const CLIENTS = 10

/** The run goes on until every kind of operation took place, but no longer than so many times as planned. */
const LONGEST = 6

type Plan = { seed: string; steps: number; ms: number }

/** Clients take random steps at the same time until the number of steps is reached or the time is over. */
export async function runClients(place: Place, { seed, steps, ms }: Plan): Promise<RandomRun> {
  const run = await openRun(place)
  const begun = performance.now()
  let left = steps
  const isOver = () => {
    const spent = performance.now() - begun
    return (left-- <= 0 || spent > ms) && (missingDeeds(run).length === 0 || spent > LONGEST * ms)
  }
  const client = async (number: number) => {
    const chance = chanceFrom(`${seed} ${number}`)
    while (!isOver()) await nextStep(chance)(run, chance)
  }
  await Promise.all(Array.from({ length: CLIENTS }, (_, number) => client(number)))
  await readAll(run)
  return run
}

const deeds: readonly Deed['kind'][] = [
  ...(['create', 'update', 'no change', 'delete', 'upsert', 'restore', 'merge', 'undo', 'options', 'unique'] as const),
  ...(['values', 'undo change'] as const),
  ...(['role', 'create token', 'revoke token', 'read', 'list', 'scan'] as const),
]

/** The kinds of operations that no client has done yet. */
export function missingDeeds({ history }: RandomRun): string[] {
  const done = new Set(history.calls.filter(isDone).map((call) => call.deed.kind))
  return deeds.filter((kind) => !done.has(kind))
}

const weights = steps.flatMap(([step, weight]) => Array.from({ length: weight }, () => step))
const nextStep = (chance: Chance): Step => chance.pick(weights)

/** When all is quiet every process shows everything once more. */
async function readAll(run: RandomRun): Promise<void> {
  const chance = chanceFrom('the end')
  for (const [node] of run.place.nodes.entries()) {
    for (const query of listQueries(run)) {
      if (!query.whole) continue
      const paging = { page: 1, per_page: 100 }
      const asked = { ...askedFor(query, paging, { node, byBody: true }), token: run.token }
      await run.call({ kind: 'list', type: query.type, query: query.name, ...paging }, asked)
    }
    for (const [type, ids] of Object.entries(run.pool.live)) {
      // The pool has these types alone.
      for (const id of ids)
        await rest(run, chance, { kind: 'read', type: type as 'companies', id }, ['GET', `/${type}/${id}`])
    }
  }
}
