import { type Issue, reportInto } from '@kith/contract/issue'
import type { Permission } from '@kith/contract/permissions'
import { parseQueryString } from '@kith/contract/query-string'
import { refuse, refuseIfAny } from '@kith/contract/refusal'
import type { SessionHolder } from '../../accounts/sign-in/sessions.ts'
import type { Answer } from '../../calls/answer.ts'
import { optionalJsonIn, type WebRequest } from '../../calls/call.ts'
import type { Runtime, Scope } from '../../scope/scope.ts'

/** A request for handlers. `id` is the one in the path. The operation refuses a body that is not a JSON object. */
export type HandlerRequest = Omit<WebRequest, 'body'> & { id: string; body: unknown }

/** A request outside of any workspace. `holder` is null without a session; then reading `user` throws. */
type AccountRequest = HandlerRequest & { holder: SessionHolder | null; readonly user: SessionHolder }

/** The permission that the role needs, and the function that answers. */
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

/** The parameters in the query string. */
export function parametersOf({ query }: HandlerRequest): Record<string, unknown> {
  const issues: Issue[] = []
  const raw = parseQueryString(query, reportInto(issues))
  refuseIfAny(issues)
  return raw
}

export function needing(needs: Permission, answer: WorkspaceHandler['answer']): WorkspaceHandler {
  return { needs, answer }
}

/** A handler that answers with the result of an operation. */
export function returning(
  needs: Permission,
  operation: (scope: Scope, request: HandlerRequest) => Promise<unknown>,
  status?: number,
): WorkspaceHandler {
  return { needs, answer: async (scope, request) => answerData(await operation(scope, request), status) }
}

/** Operations without a result are answered with null. */
export function answerData(data: unknown, status = 200): Answer {
  return { status, body: JSON.stringify({ data: data ?? null }) }
}

export const done: Answer = answerData(null)
