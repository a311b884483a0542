import type { Standing } from '../storage/engines/engine.ts'
import type { Answer } from './answer.ts'
import type { Call, IsGone } from './call.ts'

type Perform = (call: Call, isGone?: IsGone) => Promise<Answer>

/** Some hundred lists, or thousands of records; what goes beyond makes room by forgetting all. */
const CHARACTERS_KEPT = 8 * 1024 * 1024

const NAMES_KEPT = 10_000

/** So long at most, since a cursor may become too old while nothing is written. */
const AGE_MAX_MS = 60_000

const keptHandlers: ReadonlySet<string> = new Set(['list', 'query', 'read'])

type Kept = { answer: Promise<Answer>; since: number }

/**
 * Answers what was asked for before, a list or a record, with the same answer, as long as nothing whatsoever has been committed since: by
 * anybody, in any process. What is asked for a second time is kept: beside steady writes nothing is, and nothing is left to be
 * collected. Those who then ask at the same time wait for one and the same answer.
 */
export function keepingAnswers(perform: Perform, now: () => Date): Perform {
  const kept = new Map<string, Kept>()
  const askedOnce = new Set<string>()
  let keptAt: Standing | undefined
  let characters = 0

  function forget(): void {
    kept.clear()
    askedOnce.clear()
    characters = 0
  }

  function keep(name: string, call: Call): Promise<Answer> {
    // Others may wait for the same answer when the client that asked first has gone.
    const entry: Kept = { answer: perform(call), since: now().getTime() }
    kept.set(name, entry)
    const release = () => {
      if (kept.get(name) === entry) kept.delete(name)
    }
    entry.answer.then(({ status, body }) => {
      if (status !== 200) release()
      characters += name.length + (body?.length ?? 0)
      if (characters > CHARACTERS_KEPT) forget()
    }, release)
    return entry.answer
  }

  return async (call, isGone) => {
    const { standing } = call
    const name = standing === undefined || standing === null ? undefined : nameOf(call)
    if (name === undefined) return perform(call, isGone)
    if (standing !== keptAt || askedOnce.size > NAMES_KEPT) forget()
    keptAt = standing ?? undefined
    const known = kept.get(name)
    if (!known && !askedOnce.has(name)) {
      askedOnce.add(name)
      return perform(call, isGone)
    }
    if (!known || now().getTime() - known.since > AGE_MAX_MS) return keep(name, call)
    const answer = await known.answer
    // What goes wrong is told to each by itself: it bears the number of the request.
    return answer.status === 200 ? answer : perform(call, isGone)
  }
}

/** All that the answer depends on beside the database. */
function nameOf(call: Call): string | undefined {
  if (call.surface !== 'v1') return undefined
  const { workspace, actor } = call.facts
  const { handler, resource, path, query, body } = call.request
  if (!keptHandlers.has(handler)) return undefined
  return [handler, resource, workspace.id, actor.user_id, path, query, body.readable, body.text ?? ''].join('\n')
}
