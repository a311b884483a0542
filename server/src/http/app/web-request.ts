import { type Issue, reportInto } from '@kith/contract/issue'
import type { Permission } from '@kith/contract/permissions'
import { parseQueryString } from '@kith/contract/query-string'
import { refuse, refuseIfAny } from '@kith/contract/refusal'
import type { SessionHolder } from '../../accounts/sign-in/sessions.ts'
import type { Answer } from '../../calls/answer.ts'
import type { WebRequest } from '../../calls/call.ts'
import type { Runtime, Scope } from '../../scope/scope.ts'
import { optionalJsonIn } from '../wire/body.ts'

/** A request as handlers take it: `id` is the one in the path. The operation refuses a body that is no JSON object. */
export type HandlerRequest = Omit<WebRequest, 'body'> & { id: string; body: unknown }

/** A request outside of any workspace. `holder` is null without a session; then reading `user` refuses. */
type AccountRequest = HandlerRequest & { holder: SessionHolder | null; readonly user: SessionHolder }

/** What the role must allow, and what answers. */
export type WorkspaceHandler = { needs: Permission; answer(scope: Scope, request: HandlerRequest): Promise<Answer> }
export type AccountHandler = (runtime: Runtime, request: AccountRequest) => Promise<Answer>

export function handlerRequest(request: WebRequest): HandlerRequest {
  return { ...request, id: request.params.id ?? '', body: optionalJsonIn(request.body) }
}

export function accountRequest(request: WebRequest, holder: SessionHolder | null): AccountRequest {
  return {
    ...handlerRequest(request),
    holder,
    get user() {
      return holder ?? refuse({ kind: 'unauthenticated' })
    },
  }
}

/** The parameters of the address. */
export function parametersOf({ query }: HandlerRequest): Record<string, unknown> {
  const issues: Issue[] = []
  const raw = parseQueryString(query, reportInto(issues))
  refuseIfAny(issues)
  return raw
}

export function needing(needs: Permission, answer: WorkspaceHandler['answer']): WorkspaceHandler {
  return { needs, answer }
}

type Operation = (scope: Scope, request: HandlerRequest) => Promise<unknown>

/** Answers with what an operation returns. */
export function returning(needs: Permission, operation: Operation, status?: number): WorkspaceHandler {
  return { needs, answer: async (scope, request) => answerData(await operation(scope, request), status) }
}

/** Operations without a result are answered with null. */
export function answerData(data: unknown, status = 200): Answer {
  return { status, body: JSON.stringify({ data: data ?? null }) }
}

export const done: Answer = answerData(null)
