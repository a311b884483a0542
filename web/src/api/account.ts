import type { Formats } from '@kith/contract/app/formats'
import type { OpenInvitation } from '@kith/contract/app/members'
import type { EnteredWorkspace, OpenSession } from '@kith/contract/app/session'
import { queryOptions } from '@tanstack/react-query'
import { setFormats } from '../format/formats.ts'
import { callForData, dataQuery } from './call.ts'
import type { Membership } from './session.ts'

/** A user's own account, independent of workspaces. */

export function setUp(input: {
  token: string
  name: string
  email: string
  password: string
  workspace_name: string
  sample: boolean
}): Promise<EnteredWorkspace> {
  return callForData('POST', '/set-up', { body: input })
}

export function askForReset(email: string): Promise<unknown> {
  return callForData('POST', '/password/forgot', { body: { email } })
}

export function resetPassword(input: { token: string; new_password: string }): Promise<unknown> {
  return callForData('POST', '/password/reset', { body: input })
}

export function changePassword(input: { current_password: string; new_password: string }): Promise<unknown> {
  return callForData('POST', '/password', { body: input })
}

/** Sends a mail with a link that proves the address of the account. */
export function sendConfirmation(): Promise<unknown> {
  return callForData('POST', '/email/send-confirmation', { body: {} })
}

export function confirmEmail(token: string): Promise<unknown> {
  return callForData('POST', '/email/confirm', { body: { token } })
}

export function updateProfile(name: string): Promise<unknown> {
  return callForData('PATCH', '/profile', { body: { name } })
}

/** Sends a mail to the address that the user wants, with a link that changes the account. */
export function changeEmail(input: { email: string; password?: string }): Promise<unknown> {
  return callForData('POST', '/email/change', { body: input })
}

export async function updateFormats(formats: Formats): Promise<void> {
  setFormats(await callForData<Formats>('PUT', '/formats', { body: formats }))
}

/** `data` is a small image as base64. */
export function updatePicture(data: string): Promise<unknown> {
  return callForData('PUT', '/picture', { body: { data } })
}

export function removePicture(): Promise<unknown> {
  return callForData('DELETE', '/picture')
}

export function createWorkspace(name: string): Promise<Membership> {
  return callForData('POST', '/workspaces', { body: { name } })
}

export function invitationQuery(token: string) {
  return queryOptions({
    ...dataQuery<OpenInvitation>(['invitation', token], `/invitations/${encodeURIComponent(token)}`),
    staleTime: Number.POSITIVE_INFINITY,
  })
}

export type Newcomer = { name: string; password: string; email?: string }

/** As the signed-in user, or with a new account. */
export function acceptInvitation(token: string, newcomer: Newcomer | undefined): Promise<EnteredWorkspace> {
  return callForData('POST', `/invitations/${encodeURIComponent(token)}/accept`, { body: newcomer ?? {} })
}

export const openSessionsQuery = dataQuery<OpenSession[]>(['sessions'], '/sessions')

export function endSession(id: string): Promise<unknown> {
  return callForData('DELETE', `/sessions/${id}`)
}

export function endOtherSessions(): Promise<unknown> {
  return callForData('POST', '/sessions/end-others', { body: {} })
}
