import { excerpt } from '@kith/contract/excerpt'
import { newId, parseId } from '@kith/contract/id'
import { PASSWORD_LINK_HOURS, PASSWORD_LINK_OF_ADMIN_HOURS } from '@kith/contract/limits'
import { roleMay } from '@kith/contract/permissions'
import { refuse } from '@kith/contract/refusal'
import type { Letter } from '../answer.ts'
import { writeAudit } from '../audit/write.ts'
import { findUserByEmail, replacePassword } from '../db/accounts.ts'
import type { Db } from '../db/engine.ts'
import { findMember, loadMembershipsBeside } from '../db/members.ts'
import { deletePasswordLinks, findPasswordLink, insertPasswordLink, takePasswordLink } from '../db/password-links.ts'
import { deleteOtherSessions } from '../db/sessions.ts'
import { readInput } from '../read-input.ts'
import { requirePermission } from '../records/allow.ts'
import { type House, inTransaction, type Scope } from '../scope.ts'
import { hashLinkToken, newLinkToken } from './link-token.ts'
import { refuseUnlessOwner, roleOf } from './members.ts'
import { checkPassword } from './password-rule.ts'
import { hashed } from './users.ts'

const HOUR_MS = 3_600_000

/** The letter for somebody who forgot their password; none when nobody has that address. */
export async function letterOfReset(house: House, app_url: string, input: unknown): Promise<Letter | undefined> {
  const email = readInput(input, (fields) => fields.text('email'))
  const user = await findUserByEmail(house.engine.db, email.trim().toLowerCase())
  if (!user) return undefined
  const url = await house.engine.transaction((inside) =>
    makeLink(inside, { user_id: user.id, app_url, now: house.now(), hours: PASSWORD_LINK_HOURS }),
  )
  const text = [
    `Hello ${user.name},`,
    '',
    'somebody asked for a new password of your Kith account. If it was you, choose one here within the hour:',
    '',
    url,
    '',
    'If it was not you, there is nothing to do: your password stays as it is.',
  ]
  return { to: user.email, subject: 'A new password for Kith', text: text.join('\n') }
}

/** A link with which a member chooses a new password, handed over by an admin: for installations that send no mail. */
export function createResetLink(scope: Scope, app_url: string, memberId: string): Promise<{ url: string }> {
  requirePermission(scope, 'manage_members')
  return inTransaction(scope, async (inside) => {
    const member = await findMember(inside.db, inside.workspace.id, parseId(memberId) ?? '')
    if (!member)
      refuse({ kind: 'not_found', message: `No member with the ID ${excerpt(memberId)} exists in this workspace.` })
    refuseUnlessOwner(inside, roleOf(member.role))
    await refuseBeyond(inside, member.user_id)
    const { user_id } = member
    const asked = { user_id, app_url, now: inside.now(), hours: PASSWORD_LINK_OF_ADMIN_HOURS }
    const entry = { action: 'reset_link', resource: 'members', record_id: user_id, name: member.email } as const
    await writeAudit(inside, [entry])
    return { url: await makeLink(inside.db, asked) }
  })
}

/** Likewise from whoever runs the installation, for any account. */
export async function createOperatorsLink(house: House, app_url: string, email: string): Promise<{ url: string }> {
  const user = await findUserByEmail(house.engine.db, email.trim().toLowerCase())
  if (!user) return refuse({ kind: 'not_found', message: `No user has the email ${excerpt(email)}.` })
  const asked = { user_id: user.id, app_url, now: house.now(), hours: PASSWORD_LINK_OF_ADMIN_HOURS }
  return { url: await house.engine.transaction((inside) => makeLink(inside, asked)) }
}

/** Sets the password of whoever holds the link, once, and ends all of their sessions. */
export async function resetPassword(house: House, input: unknown): Promise<void> {
  const { token, new_password } = readInput(input, (fields) => {
    const sent = { token: fields.text('token'), new_password: fields.text('new_password') }
    if (sent.new_password !== '') checkPassword(sent.new_password, fields.report, 'new_password')
    return sent
  })
  const link = hashLinkToken(token)
  const found = await findPasswordLink(house.engine.db, link)
  const now = house.now()
  if (!found || found.expires_at <= now.toISOString()) return refuseGone()
  const hash = await hashed(new_password)
  await house.engine.transaction(async (inside) => {
    if (!(await takePasswordLink(inside, link))) refuseGone()
    await deletePasswordLinks(inside, found.user_id)
    const at = now.toISOString()
    await replacePassword(inside, { id: newId(now.getTime()), user_id: found.user_id, hash, at })
    await deleteOtherSessions(inside, found.user_id, null)
  })
}

type Asked = { user_id: string; app_url: string; now: Date; hours: number }

async function makeLink(inside: Db, { user_id, app_url, now, hours }: Asked): Promise<string> {
  const { token, hash } = newLinkToken()
  await deletePasswordLinks(inside, user_id)
  const expires_at = new Date(now.getTime() + hours * HOUR_MS).toISOString()
  await insertPasswordLink(inside, { hash, user_id, created_at: now.toISOString(), expires_at })
  return `${app_url}/reset-password?token=${token}`
}

/** Whoever resets a password can sign in with it: so only those may who could do all of it in every workspace it opens. */
async function refuseBeyond(inside: Scope, userId: string): Promise<void> {
  const elsewhere = await loadMembershipsBeside(inside.db, inside.workspace.id, userId, inside.actor.user_id)
  const beyond = elsewhere.some(({ role, own_role }) => {
    if (own_role === null) return true
    return !roleMay(roleOf(own_role), role === 'owner' ? 'manage_owners' : 'manage_members')
  })
  if (!beyond) return
  const message = 'This account opens more than you manage. Its holder can reset the password by mail.'
  refuse({ kind: 'forbidden', message })
}

function refuseGone(): never {
  const message = 'This link does not exist, was used already or has expired. Ask for another one.'
  return refuse({ kind: 'invalid', issues: [{ path: 'token', message }] })
}
