import type { Role } from '@kith/contract/abilities'
import type { FreshInvitation, InvitationRow, PicturedMember } from '@kith/contract/app/members'
import { queryOptions, useSuspenseQuery } from '@tanstack/react-query'
import { callForData, dataQuery } from './call.ts'
import { useSlug } from './workspace.ts'

/** Members and invitations. */

export function membersQuery(slug: string) {
  return queryOptions({
    ...dataQuery<PicturedMember[]>([slug, 'members'], `/w/${slug}/members`),
    staleTime: 5 * 60_000,
  })
}

export function useMembers(): PicturedMember[] {
  return useSuspenseQuery(membersQuery(useSlug())).data
}

export function changeRole(slug: string, id: string, role: Role): Promise<unknown> {
  return callForData('PATCH', `/w/${slug}/members/${id}`, { body: { role } })
}

export function removeMember(slug: string, id: string): Promise<unknown> {
  return callForData('DELETE', `/w/${slug}/members/${id}`)
}

/** The member signs in again to open this workspace. */
export function endSessionsOf(slug: string, id: string): Promise<unknown> {
  return callForData('POST', `/w/${slug}/members/${id}/end-sessions`, { body: {} })
}

/** A link with which a member chooses a new password; for when there is no mail. */
export function makeResetLink(slug: string, id: string): Promise<{ url: string }> {
  return callForData('POST', `/w/${slug}/members/${id}/reset-link`, { body: {} })
}

export function invitationsQuery(slug: string) {
  return dataQuery<InvitationRow[]>([slug, 'invitations'], `/w/${slug}/invitations`)
}

export function invite(slug: string, input: { email?: string; role: Role }): Promise<FreshInvitation> {
  return callForData('POST', `/w/${slug}/invitations`, { body: input })
}

export function withdrawInvitation(slug: string, id: string): Promise<unknown> {
  return callForData('DELETE', `/w/${slug}/invitations/${id}`)
}
