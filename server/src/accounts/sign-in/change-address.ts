import { refuseValue } from '@kith/contract/refusal'
import type { Mail } from '../../calls/answer.ts'
import type { Runtime } from '../../scope/scope.ts'
import type { Db } from '../../storage/engines/engine.ts'
import {
  deletePasswordLinks,
  findUser,
  findUserByEmail,
  replaceUserEmail,
  type UserRow,
} from '../../storage/tables/accounts.ts'
import { mailOf } from '../mail-of.ts'
import { noteUserChange } from '../note-user-change.ts'
import { lockEmails } from '../users.ts'

/** A user whose address has changed, and the address before. */
export type Readdressed = { user: UserRow; before: string }

type NewAddress = { user_id: string; email: string }

/**
 * Gives a user the address that a link was sent to. Sessions and tokens stay. Links for a password stop working: they
 * were sent to the mailbox that the user has left.
 */
export async function changeAddress(
  runtime: Runtime,
  inside: Db,
  { user_id, email }: NewAddress,
): Promise<Readdressed> {
  const known = await findUser(inside, user_id)
  if (!known) throw new Error('The user of the session does not exist.')
  await lockEmails(runtime, inside, [known.email, email])
  if (await findUserByEmail(inside, email)) {
    return refuseValue('token', 'Another account has this address by now. Use another one, or sign in to that account.')
  }
  await replaceUserEmail(inside, { id: user_id, email, at: runtime.now().toISOString() })
  await deletePasswordLinks(inside, user_id)
  const user = { ...known, email, verified: true }
  await noteUserChange(runtime, inside, { user, field: 'email', before: known.email, after: email })
  return { user, before: known.email }
}

/** To the mailbox that the user has left, in case another person changed the address. */
export function addressNotice({ user: { name, email }, before }: Readdressed): Mail {
  return mailOf(before, 'The email address of your Kith account has changed', [
    `Hello ${name},`,
    `the email address of your Kith account is now ${email}. You sign in with it from now on.`,
    'If it was not you who changed it, tell an owner of your workspace or the operator of Kith at once.',
  ])
}
