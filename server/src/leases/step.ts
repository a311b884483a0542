import type { ScopeFacts, Tenancy } from '../scope/scope.ts'

/** A step of work with a lease, as plain data, so that any thread can run it. */
export type Step = { handler: string; input: unknown }

/**
 * Runs a step in the same lanes as requests, so that it waits its turn. The answer has the status of a request, and the
 * step's result as JSON in its body.
 */
export type RunStep = (
  facts: ScopeFacts,
  step: Step,
  lane: 'read' | 'write',
) => Promise<{ status: number; body: string | null; bug?: string }>

/** Functions that run as steps, by the names of the steps. Inputs and results are plain data. */
export type Steps = Readonly<Record<string, (scope: Tenancy, input: never) => Promise<unknown>>>

/** Runs a step of some functions, with their types. Fails if the step does. */
export type Ask<S extends Steps> = <Name extends keyof S & string>(
  facts: ScopeFacts,
  handler: Name,
  input: Parameters<S[Name]>[1],
) => Promise<Awaited<ReturnType<S[Name]>>>

export function askWith<S extends Steps>(runStep: RunStep, laneOf: (handler: keyof S) => 'read' | 'write'): Ask<S> {
  return async (facts, handler, input) => {
    const answer = await runStep(facts, { handler, input }, laneOf(handler))
    if (answer.status !== 200) throw new Error(`The step ${handler} failed: ${answer.bug ?? answer.body}`)
    // Written by the function of the step.
    return JSON.parse(answer.body ?? 'null')
  }
}

/** Facts for steps that need no rights and read no records. */
export function factsOf(workspaceId: string, actor: Partial<ScopeFacts['actor']> = {}): ScopeFacts {
  return {
    workspace: { id: workspaceId, number: 0, slug: '', name: '', fields_version: 0 },
    actor: { user_id: '', role: 'viewer', abilities: [], token_id: null, source: 'api', ...actor },
  }
}
