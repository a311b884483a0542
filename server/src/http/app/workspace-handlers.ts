import { listConnections, removeConnection } from '../../accounts/oauth/connections.ts'
import { createOwnToken, listWorkingTokens } from '../../accounts/own-tokens.ts'
import { listRoles } from '../../accounts/roles.ts'
import { setSecondFactorRule } from '../../accounts/sign-in/second-factor-rule.ts'
import { revokeToken } from '../../accounts/tokens.ts'
import { readBilling, readWorkspace, removeWorkspace, renameWorkspace } from '../../accounts/workspace.ts'
import { loadFirstSample } from '../../sample/first.ts'
import { readInput } from '../../scope/read-input.ts'
import { createView, listViews, removeView, updateView } from '../../views/views.ts'
import { readTries } from '../../webhooks/read-tries.ts'
import { bulkHandlers } from './bulk-handlers.ts'
import { fieldHandlers } from './field-handlers.ts'
import { memberHandlers } from './member-handlers.ts'
import { recordHandlers } from './record-handlers.ts'
import { answerData, done, parametersOf, type WorkspaceHandler } from './web-request.ts'

export type WorkspaceEndpoint = keyof typeof workspaceHandlers

/** What a member does in a workspace in addition to the REST API, by endpoint. */
export const workspaceHandlers = {
  'GET /workspace': async (scope, { site }) => answerData(await readWorkspace(scope, site.hosted)),
  'PATCH /workspace': async (scope, { site, body }) => answerData(await renameWorkspace(scope, site.hosted, body)),
  'DELETE /workspace': async (scope, { body }) => {
    await removeWorkspace(scope, body)
    return { ...done, aside: { closed: true } }
  },
  'POST /second-factor': async (scope, { body }) => answerData(await setSecondFactorRule(scope, body)),
  'GET /roles': async () => answerData(listRoles()),
  'GET /billing': async (scope, { site }) => answerData(await readBilling(scope, site.hosted)),
  'POST /sample': async (scope, { body }) => {
    readInput(body, () => undefined)
    return answerData(await loadFirstSample(scope), 201)
  },
  'GET /views': async (scope, request) => answerData(await listViews(scope, parametersOf(request))),
  'POST /views': async (scope, { body }) => answerData(await createView(scope, body), 201),
  'PATCH /views/:id': async (scope, { id, body }) => answerData(await updateView(scope, id, body)),
  'DELETE /views/:id': async (scope, { id }) => answerData(await removeView(scope, id)),
  'GET /tokens': async (scope, request) => answerData(await listWorkingTokens(scope, parametersOf(request))),
  'POST /tokens': async (scope, { body }) => answerData(await createOwnToken(scope, body), 201),
  'DELETE /tokens/:id': async (scope, { id }) => {
    await revokeToken(scope, id)
    return done
  },
  'GET /webhooks/:id/tries': async (scope, { id }) => answerData(await readTries(scope, id)),
  'GET /connections': async (scope) => answerData(await listConnections(scope)),
  'DELETE /connections/:id': async (scope, { id }) => answerData(await removeConnection(scope, id)),
  ...memberHandlers,
  ...fieldHandlers,
  ...recordHandlers,
  ...bulkHandlers,
} satisfies Record<string, WorkspaceHandler>
