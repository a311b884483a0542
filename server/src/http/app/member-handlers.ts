import type { FreshInvitation, MemberRow } from '@kith/contract/app/members'
import { parseId } from '@kith/contract/id'
import { createInvitation, listInvitations, withdrawInvitation } from '../../accounts/invitations.ts'
import { mailOf } from '../../accounts/mail-of.ts'
import { changeRole, endSessionsOf, listMembers, type Member, removeMember } from '../../accounts/members.ts'
import { listPictureIds, readPicture } from '../../accounts/pictures.ts'
import { createResetLink } from '../../accounts/sign-in/password-links.ts'
import type { Mail } from '../../calls/answer.ts'
import { readInput } from '../../scope/read-input.ts'
import type { Scope } from '../../scope/scope.ts'
import { answerData, done, needing, returning, type WorkspaceHandler } from './web-request.ts'

/** Members and those who are invited. */
export const memberHandlers = {
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
    return { ...answerData(fresh, 201), aside: { mails: fresh.mailed ? [invitationMail(scope, fresh)] : [] } }
  }),
  'DELETE /invitations/:id': returning('manage_members', (scope, { id }) => withdrawInvitation(scope, id)),
} satisfies Record<string, WorkspaceHandler>

function presentMember({ user_id, name, email, verified, role, created_at }: Member): MemberRow {
  return { id: user_id, name, email, verified, role, joined_at: created_at }
}

/** Operations also take an email address, which no path of ours holds. */
function memberId(id: string): string {
  return parseId(id) ?? '-'
}

function invitationMail(scope: Scope, { email, url, role }: FreshInvitation): Mail {
  return mailOf(email ?? '', `Join ${scope.workspace.name} in Kith`, [
    `You are invited to the workspace ${scope.workspace.name} in Kith, as ${role}.`,
    'Open this link within seven days to join:',
    url,
    'If you do not know what this is about, there is nothing to do.',
  ])
}
