import { resetFactors } from '../accounts/sign-in/factors.ts'
import { createOperatorLink } from '../accounts/sign-in/password-links.ts'
import { verifyUser } from '../accounts/sign-in/verify-email.ts'
import { createUser } from '../accounts/users.ts'
import { defineCommand, emailOption, type Group } from './command.ts'
import { withDatabase } from './with-database.ts'

const create = defineCommand({
  about: 'Create a user. A user without a password cannot sign in, but tokens work.',
  options: {
    email: { value: 'E', about: 'The email address, by which the user signs in.', required: true },
    name: { value: 'N', about: 'The name that others see.', required: true },
    'password-stdin': { about: 'Read the password from standard input.' },
  },
  async run(values, context) {
    const password = values['password-stdin'] ? withoutLineEnd(await context.readInput()) : undefined
    const user = await withDatabase(context, (runtime) => createUser(runtime, { ...values, password }))
    return { text: `Made the user ${user.email} (${user.id}).`, json: user }
  },
})

const resetLink = defineCommand({
  about: 'Create a link for choosing a new password within a day, for installations without mail.',
  options: { email: emailOption },
  async run({ email }, context) {
    const { APP_URL } = context.config
    const made = await withDatabase(context, (runtime) => createOperatorLink(runtime, APP_URL, email))
    return { text: made.url, json: made }
  },
})

const verify = defineCommand({
  about: 'Mark the email address of a user as verified, for installations without mail.',
  options: { email: emailOption },
  async run({ email }, context) {
    const verified = await withDatabase(context, (runtime) => verifyUser(runtime, email))
    return { text: `${verified.email} (${verified.name}, ${verified.id}) is verified.`, json: verified }
  },
})

const resetTwoFactor = defineCommand({
  about: 'Remove the authenticator app, recovery codes and passkeys of a user who has lost them, and end all sessions.',
  options: { email: emailOption },
  async run({ email }, context) {
    const reset = await withDatabase(context, (runtime) => resetFactors(runtime, email))
    return { text: `${reset.email} signs in with the password alone.`, json: reset }
  },
})

export const user: Group = { verbs: { create, verify, 'reset-link': resetLink, 'reset-two-factor': resetTwoFactor } }

/** Removes the line end that `echo` and editors add. */
function withoutLineEnd(text: string): string {
  return text.replace(/\r?\n$/, '')
}
