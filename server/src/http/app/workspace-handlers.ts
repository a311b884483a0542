import { listConnections, removeConnection } from '../../accounts/oauth/connections.ts'
import { createOwnToken, listWorkingTokens } from '../../accounts/own-tokens.ts'
import { listRoles } from '../../accounts/roles.ts'
import { setSecondFactorRule } from '../../accounts/sign-in/second-factor-rule.ts'
import { revokeToken } from '../../accounts/tokens.ts'
import { readBilling, readWorkspace, removeWorkspace, renameWorkspace } from '../../accounts/workspace.ts'
import type { Answer } from '../../calls/answer.ts'
import type { WebRequest } from '../../calls/call.ts'
import { loadFirstSample } from '../../sample/first.ts'
import { readInput } from '../../scope/read-input.ts'
import type { Scope } from '../../scope/scope.ts'
import { createView, listViews, removeView, updateView } from '../../views/views.ts'
import { fieldHandlers } from './field-handlers.ts'
import { memberHandlers } from './member-handlers.ts'
import { recordHandlers } from './record-handlers.ts'
import { answerData, bodyOf, done, paramOf, queryOf } from './web-request.ts'

export type WorkspaceHandlerName = keyof typeof workspaceHandlers

type WorkspaceHandler = (scope: Scope, request: WebRequest) => Promise<Answer>

const ownHandlers = {
  workspace: async (scope, request) => answerData(await readWorkspace(scope, request.site.hosted)),
  'rename-workspace': async (scope, request) =>
    answerData(await renameWorkspace(scope, request.site.hosted, bodyOf(request))),
  'delete-workspace': async (scope, request) => {
    await removeWorkspace(scope, bodyOf(request))
    return { ...done, aside: { closed: true } }
  },
  'require-second-factor': async (scope, request) => answerData(await setSecondFactorRule(scope, bodyOf(request))),
  roles: async () => answerData(listRoles()),
  billing: async (scope, request) => answerData(await readBilling(scope, request.site.hosted)),
  sample: async (scope, request) => {
    readInput(bodyOf(request), () => undefined)
    return answerData(await loadFirstSample(scope), 201)
  },
  views: async (scope, request) => answerData(await listViews(scope, queryOf(request))),
  'create-view': async (scope, request) => answerData(await createView(scope, bodyOf(request)), 201),
  'update-view': async (scope, request) => answerData(await updateView(scope, paramOf(request, 'id'), bodyOf(request))),
  'remove-view': async (scope, request) => {
    await removeView(scope, paramOf(request, 'id'))
    return done
  },
  tokens: async (scope, request) => answerData(await listWorkingTokens(scope, queryOf(request))),
  'create-token': async (scope, request) => answerData(await createOwnToken(scope, bodyOf(request)), 201),
  'revoke-token': async (scope, request) => {
    await revokeToken(scope, paramOf(request, 'id'))
    return done
  },
  connections: async (scope) => answerData(await listConnections(scope)),
  'end-connection': async (scope, request) => {
    await removeConnection(scope, paramOf(request, 'id'))
    return done
  },
} satisfies Record<string, WorkspaceHandler>

/** What a member does in a workspace in addition to the REST API. */
export const workspaceHandlers = {
  ...ownHandlers,
  ...memberHandlers,
  ...fieldHandlers,
  ...recordHandlers,
} satisfies Record<string, WorkspaceHandler>
