import type { FreshInvitation, MemberRow } from '@kith/contract/app/members'
import { parseId } from '@kith/contract/id'
import { endSessionsOf } from '../../accounts/end-member-sessions.ts'
import { createInvitation, listInvitations, withdrawInvitation } from '../../accounts/invitations.ts'
import { changeRole, listMembers, type Member, removeMember } from '../../accounts/members.ts'
import { createResetLink } from '../../accounts/sign-in/password-links.ts'
import type { Answer, Mail } from '../../calls/answer.ts'
import type { WebRequest } from '../../calls/call.ts'
import { readInput } from '../../scope/read-input.ts'
import type { Scope } from '../../scope/scope.ts'
import { answerData, bodyOf, done, paramOf } from './web-request.ts'

/** Members and those who are invited. */
export const memberHandlers = {
  members: async (scope: Scope, _request: WebRequest): Promise<Answer> =>
    answerData((await listMembers(scope)).map(presentMember)),
  'change-role': async (scope, request) => {
    const role = readInput(bodyOf(request), (fields) => fields.text('role'))
    return answerData(presentMember(await changeRole(scope, { email: memberIdOf(request), role })))
  },
  'remove-member': async (scope, request) => {
    await removeMember(scope, { email: memberIdOf(request) })
    return done
  },
  'reset-link': async (scope, request) =>
    answerData(await createResetLink(scope, request.site.app_url, paramOf(request, 'id')), 201),
  'end-member-sessions': async (scope, request) => {
    await endSessionsOf(scope, paramOf(request, 'id'))
    return done
  },
  invitations: async (scope) => answerData(await listInvitations(scope)),
  invite: async (scope, request) => {
    const made = await createInvitation(scope, request.site.app_url, bodyOf(request))
    const fresh: FreshInvitation = { ...made, mailed: request.site.mail && made.email !== null }
    return { ...answerData(fresh, 201), aside: { mails: fresh.mailed ? [invitationMail(scope, fresh)] : [] } }
  },
  'withdraw-invitation': async (scope, request) => {
    await withdrawInvitation(scope, paramOf(request, 'id'))
    return done
  },
} satisfies Record<string, (scope: Scope, request: WebRequest) => Promise<Answer>>

function presentMember({ user_id, name, email, verified, role, created_at }: Member): MemberRow {
  return { id: user_id, name, email, verified, role, joined_at: created_at }
}

/** Operations also take an email address, which no path of ours holds. */
function memberIdOf(request: WebRequest): string {
  return parseId(paramOf(request, 'id')) ?? '-'
}

function invitationMail(scope: Scope, { email, url, role }: FreshInvitation): Mail {
  const text = [
    `You are invited to the workspace ${scope.workspace.name} in Kith, as ${role}.`,
    '',
    'Open this link within seven days to join:',
    '',
    url,
    '',
    'If you do not know what this is about, there is nothing to do.',
  ]
  return { to: email ?? '', subject: `Join ${scope.workspace.name} in Kith`, text: text.join('\n') }
}
