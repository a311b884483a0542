import { resetFactors } from '../accounts/sign-in/factors.ts'
import { createOperatorsLink } from '../accounts/sign-in/password-links.ts'
import { verifyUser } from '../accounts/sign-in/verify-email.ts'
import { createUser } from '../accounts/users.ts'
import { defineCommand, type Group } from './command.ts'
import { withDatabase } from './with-database.ts'

const create = defineCommand({
  about: 'Make a user. Without a password nobody can sign in as that user, but tokens work.',
  options: {
    email: { value: 'E', about: 'The email address, by which the user signs in.', required: true },
    name: { value: 'N', about: 'The name that others see.', required: true },
    'password-stdin': { about: 'Read the password from standard input.' },
  },
  async run(values, ground) {
    const password = values['password-stdin'] ? withoutLineEnd(await ground.readInput()) : undefined
    const user = await withDatabase(ground, (runtime) => createUser(runtime, { ...values, password }))
    return { text: `Made the user ${user.email} (${user.id}).`, json: user }
  },
})

const resetLink = defineCommand({
  about: 'Make a link with which a user chooses a new password within a day: for when there is no mail.',
  options: { email: { value: 'E', about: 'The email address of the user.', required: true } },
  async run({ email }, ground) {
    const { APP_URL } = ground.config
    const made = await withDatabase(ground, (runtime) => createOperatorsLink(runtime, APP_URL, email))
    return { text: made.url, json: made }
  },
})

const verify = defineCommand({
  about: 'Vouch for the email address of a user, who made the account with an invitation: for when there is no mail.',
  options: { email: { value: 'E', about: 'The email address of the user.', required: true } },
  async run({ email }, ground) {
    const verified = await withDatabase(ground, (runtime) => verifyUser(runtime, email))
    return { text: `${verified.email} (${verified.name}, ${verified.id}) is verified.`, json: verified }
  },
})

const resetTwoFactor = defineCommand({
  about: 'Remove the authenticator app, recovery codes and passkeys of a user who has lost them, and end all sessions.',
  options: { email: { value: 'E', about: 'The email address of the user.', required: true } },
  async run({ email }, ground) {
    const reset = await withDatabase(ground, (runtime) => resetFactors(runtime, email))
    return { text: `${reset.email} signs in with the password alone.`, json: reset }
  },
})

export const user: Group = { verbs: { create, verify, 'reset-link': resetLink, 'reset-two-factor': resetTwoFactor } }

/** What `echo` and an editor put behind the password is no part of it. */
function withoutLineEnd(text: string): string {
  return text.replace(/\r?\n$/, '')
}
