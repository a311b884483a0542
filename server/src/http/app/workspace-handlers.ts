import type { FreshInvitation, MemberRow } from '@kith/contract/app/members'
import { exportFormats } from '@kith/contract/export-query'
import { parseId } from '@kith/contract/id'
import { createInvitation, listInvitations, withdrawInvitation } from '../../accounts/invitations.ts'
import { changeRole, endSessionsOf, listMembers, type Member, removeMember } from '../../accounts/members.ts'
import { listConnections, removeConnection } from '../../accounts/oauth/connections.ts'
import { listPictureIds, readPicture } from '../../accounts/pictures.ts'
import { setSecondFactorRule } from '../../accounts/sign-in/factors.ts'
import { createResetLink } from '../../accounts/sign-in/password-links.ts'
import { createOwnToken, listWorkingTokens, revokeToken } from '../../accounts/tokens.ts'
import { readBilling, readWorkspace, removeWorkspace, renameWorkspace } from '../../accounts/workspace.ts'
import type { Effect } from '../../calls/answer.ts'
import { exportAudit } from '../../changes/audit-log.ts'
import { asIs, type Mail, mailOf, told } from '../../outbound/mail.ts'
import { countFieldDuplicates, listManagedFields } from '../../schema/managed.ts'
import { readInput } from '../../scope/read-input.ts'
import type { Scope } from '../../scope/scope.ts'
import { createView, listViews, removeView, updateView } from '../../views/views.ts'
import { readTries } from '../../webhooks/list-deliveries.ts'
import { listEndingWebhooks } from '../../webhooks/webhook.ts'
import { answerFile } from '../v1/requests.ts'
import { recordHandlers } from './record-handlers.ts'
import { answerData, done, needing, parametersOf, returning, type WorkspaceHandler } from './web-request.ts'

/** Members and invitations. */
const memberHandlers = {
  'GET /members': needing('read', async (scope) => {
    const pictures = await listPictureIds(scope)
    const members = await listMembers(scope)
    return answerData(
      members.map((member) => ({ ...presentMember(member), picture: pictures.get(member.user_id) ?? null })),
    )
  }),
  'GET /pictures/:id': returning('read', (scope, { id }) => readPicture(scope, id)),
  'PATCH /members/:id': needing('manage_members', async (scope, { id, body }) => {
    const role = readInput(body, (fields) => fields.text('role'))
    return answerData(presentMember(await changeRole(scope, { email: memberId(id), role })))
  }),
  // Everyone may leave; the operation checks who may remove others.
  'DELETE /members/:id': needing('read', async (scope, { id }) => {
    await removeMember(scope, { email: memberId(id) })
    return done
  }),
  'POST /members/:id/reset-link': needing('manage_members', async (scope, { id, site }) =>
    answerData(await createResetLink(scope, site.app_url, id), 201),
  ),
  'POST /members/:id/end-sessions': returning('manage_members', (scope, { id }) => endSessionsOf(scope, id)),
  'GET /invitations': returning('manage_members', (scope) => listInvitations(scope)),
  'POST /invitations': needing('manage_members', async (scope, { body, site }) => {
    const made = await createInvitation(scope, site.app_url, body)
    const fresh: FreshInvitation = { ...made, mailed: site.mail && made.email !== null }
    const effects: Effect[] = fresh.mailed ? [{ kind: 'mail', mail: invitationMail(scope, fresh) }] : []
    return { ...answerData(fresh, 201), effects }
  }),
  'DELETE /invitations/:id': returning('manage_members', (scope, { id }) => withdrawInvitation(scope, id)),
} satisfies Record<string, WorkspaceHandler>

/** The workspace itself. These stay open while it is paused. */
export const settingsHandlers = {
  'GET /workspace': returning('read', (scope, { site }) => readWorkspace(scope, site.hosted)),
  'PATCH /workspace': returning('manage_workspace', (scope, { site, body }) =>
    renameWorkspace(scope, site.hosted, body),
  ),
  'DELETE /workspace': needing('delete_workspace', async (scope, { body }) => {
    await removeWorkspace(scope, body)
    return { ...done, effects: [{ kind: 'data_deleted' }] }
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
  'GET /webhooks/ending': returning('read', (scope, request) => listEndingWebhooks(scope, parametersOf(request))),
  'GET /webhooks/:id/tries': returning('read', (scope, { id }) => readTries(scope, id)),
  'GET /connections': returning('make_tokens', (scope) => listConnections(scope)),
  'DELETE /connections/:id': returning('make_tokens', (scope, { id }) => removeConnection(scope, id)),
  ...memberHandlers,
} satisfies Record<string, WorkspaceHandler>

/** The operations of a member in a workspace that the REST API does not have, by endpoint. */
export const workspaceHandlers = { ...settingsHandlers, ...recordHandlers }

export type WorkspaceEndpoint = keyof typeof workspaceHandlers

function presentMember({ user_id, name, email, verified, role, created_at }: Member): MemberRow {
  return { id: user_id, name, email, verified, role, joined_at: created_at }
}

/** The operations also accept an email address, but a path must contain an id. */
function memberId(id: string): string {
  return parseId(id) ?? '-'
}

function invitationMail(scope: Scope, { email, url, role }: FreshInvitation): Mail {
  return mailOf(email ?? '', told`Join ${scope.workspace.name} in Kith`, [
    told`You are invited to the workspace ${scope.workspace.name} in Kith, as ${role}.`,
    told`Open this link within seven days to join:`,
    asIs(url),
    told`If you do not know what this is about, there is nothing to do.`,
  ])
}
