import { EMAIL_LINK_HOURS } from '@kith/contract/limits'
import { refuseValue } from '@kith/contract/refusal'
import type { Mail } from '../../calls/answer.ts'
import { readInput } from '../../scope/read-input.ts'
import type { Runtime } from '../../scope/scope.ts'
import { findUser, findUserByEmail } from '../../storage/tables/accounts.ts'
import { mailOf } from '../mail-of.ts'
import { parseEmail } from '../parse-account.ts'
import { makeEmailLink } from './verify-email.ts'

type Wanted = { user_id: string; app_url: string; input: unknown }

/**
 * The mail to the address that a user wants. The account changes once the link in it is opened. If another account has
 * the address, the mail says so: the response must not reveal who has an account. The caller has checked the password.
 */
export function changeEmailMail(runtime: Runtime, { user_id, app_url, input }: Wanted): Promise<Mail> {
  const { email } = readInput(input, (fields) => {
    const sent = fields.text('email')
    fields.optionalText('password')
    return { email: sent === '' ? '' : parseEmail(sent, 'email', fields.report) }
  })
  return runtime.engine.transaction(async (inside) => {
    const user = await findUser(inside, user_id)
    if (!user) throw new Error('The user of the session does not exist.')
    if (user.email === email) refuseValue('email', 'This is your address already.')
    if (await findUserByEmail(inside, email)) return mailOf(email, SUBJECT, taken)
    const url = await makeEmailLink(runtime, inside, { app_url, user_id, new_email: email })
    return mailOf(email, SUBJECT, [
      `Hello ${user.name},`,
      `open this link within ${EMAIL_LINK_HOURS} hours, signed in to Kith, to use this address for your account:`,
      url,
      'If you have no account there, another person entered your address. Ignore this mail: nothing changes.',
    ])
  })
}

const SUBJECT = 'Confirm your new email address for Kith'

const taken = [
  'Hello,',
  'a user of Kith wants to use this address, but you have an account with it already. Nothing changes.',
  'If it was you, sign in to that account, or choose another address.',
]
