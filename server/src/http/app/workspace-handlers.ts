import { exportFormats } from '@kith/contract/export-query'
import { listConnections, removeConnection } from '../../accounts/oauth/connections.ts'
import { createOwnToken, listWorkingTokens } from '../../accounts/own-tokens.ts'
import { setSecondFactorRule } from '../../accounts/sign-in/second-factor-rule.ts'
import { revokeToken } from '../../accounts/tokens.ts'
import { readBilling, readWorkspace, removeWorkspace, renameWorkspace } from '../../accounts/workspace.ts'
import { exportAudit } from '../../audit/export.ts'
import { countFieldDuplicates, listManagedFields } from '../../fields/managed.ts'
import { readInput } from '../../scope/read-input.ts'
import { createView, listViews, removeView, updateView } from '../../views/views.ts'
import { readTries } from '../../webhooks/list-deliveries.ts'
import { answerFile } from '../v1/json-api.ts'
import { memberHandlers } from './member-handlers.ts'
import { recordHandlers } from './record-handlers.ts'
import { done, needing, parametersOf, returning, type WorkspaceHandler } from './web-request.ts'

/** The workspace itself. These stay open while it is paused. */
export const settingsHandlers = {
  'GET /workspace': returning('read', (scope, { site }) => readWorkspace(scope, site.hosted)),
  'PATCH /workspace': returning('manage_workspace', (scope, { site, body }) =>
    renameWorkspace(scope, site.hosted, body),
  ),
  'DELETE /workspace': needing('delete_workspace', async (scope, { body }) => {
    await removeWorkspace(scope, body)
    return { ...done, aside: { closed: true } }
  }),
  'POST /second-factor': returning('manage_workspace', (scope, { body }) => setSecondFactorRule(scope, body)),
  'GET /billing': returning('read', (scope, { site }) => readBilling(scope, site.hosted)),
  'GET /views': returning('read', (scope, request) => listViews(scope, parametersOf(request))),
  'POST /views': returning('save_views', (scope, { body }) => createView(scope, body), 201),
  'PATCH /views/:id': returning('save_views', (scope, { id, body }) => updateView(scope, id, body)),
  'DELETE /views/:id': returning('save_views', (scope, { id }) => removeView(scope, id)),
  'GET /tokens': returning('make_tokens', (scope, request) => listWorkingTokens(scope, parametersOf(request))),
  'POST /tokens': returning('make_tokens', (scope, { body }) => createOwnToken(scope, body), 201),
  'DELETE /tokens/:id': needing('make_tokens', async (scope, { id }) => {
    await revokeToken(scope, id)
    return done
  }),
  'GET /fields': returning('read', (scope, request) => listManagedFields(scope, parametersOf(request))),
  'GET /fields/:id/duplicates': returning('read', async (scope, { id }) => ({
    count: await countFieldDuplicates(scope, id),
  })),
  /** One part of a file. The route requests all parts. */
  'GET /audit/export': needing('read_audit_log', async (scope, request) => {
    const wanted = readInput(parametersOf(request), ({ raw, report }) => {
      const format = exportFormats.find((one) => one === raw('format'))
      if (format === undefined) report('format', 'The format must be csv or ndjson.')
      return { format: format ?? 'csv', resource: raw('resource') }
    })
    const { text, next_cursor } = await exportAudit(scope, { ...wanted, cursor: request.continuation })
    const name = `audit-${scope.workspace.slug}-${scope.now().toISOString().slice(0, 10)}`
    return answerFile({ text, format: wanted.format, name, continuation: next_cursor })
  }),
  'GET /webhooks/:id/tries': returning('read', (scope, { id }) => readTries(scope, id)),
  'GET /connections': returning('make_tokens', (scope) => listConnections(scope)),
  'DELETE /connections/:id': returning('make_tokens', (scope, { id }) => removeConnection(scope, id)),
  ...memberHandlers,
} satisfies Record<string, WorkspaceHandler>

/** What a member does in a workspace in addition to the REST API, by endpoint. */
export const workspaceHandlers = { ...settingsHandlers, ...recordHandlers }

export type WorkspaceEndpoint = keyof typeof workspaceHandlers
