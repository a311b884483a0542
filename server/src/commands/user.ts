import { verifyUser } from '../accounts/sign-in/change-email.ts'
import { resetFactors } from '../accounts/sign-in/factors.ts'
import { createOperatorLink, createSignInLink } from '../accounts/sign-in/password-links.ts'
import { createUser } from '../accounts/users.ts'
import { deleteUser } from '../accounts/who-am-i.ts'
import { loadUsers } from '../storage/tables/accounts.ts'
import { defineCommand, emailOption, type Group, inputText } from './command.ts'
import { printTable } from './table.ts'
import { withDatabase } from './with-database.ts'

const create = defineCommand({
  about: 'Create a user. Prints a link for choosing a password, unless one is given.',
  options: {
    email: { value: 'E', about: 'The email address, by which the user signs in.', required: true },
    name: { value: 'N', about: 'The name that others see.', required: true },
    'password-stdin': { about: 'Read the password from standard input.' },
  },
  async run(values, context) {
    // Without the line end that `echo` and editors add.
    const password = values['password-stdin'] ? (await inputText(context)).replace(/\r?\n$/, '') : undefined
    const { APP_URL } = context.config
    return withDatabase(context, async (runtime) => {
      const user = await createUser(runtime, { ...values, password })
      const made = `Created the user ${user.email} (${user.id}).`
      if (password !== undefined) return { text: made, json: user }
      const url = await createSignInLink(runtime, APP_URL, user)
      return { text: `${made}\nTo sign in, choose a password within a day:\n\n  ${url}\n`, json: user }
    })
  },
})

const list = defineCommand({
  about: 'List all users.',
  options: {},
  async run(_, context) {
    const users = await withDatabase(context, ({ engine }) => loadUsers(engine.db))
    const rows = users.map((one) => {
      return [one.email, one.name, one.verified ? 'yes' : 'no', String(one.workspaces), one.created_at, one.id]
    })
    return { text: printTable(['email', 'name', 'verified', 'workspaces', 'created', 'id'], rows), json: users }
  },
})

const remove = defineCommand({
  about: 'Delete a user with all sessions, tokens and private views. Records that they created stay.',
  options: { email: emailOption },
  async run({ email }, context) {
    const deleted = await withDatabase(context, (runtime) => deleteUser(runtime, email))
    return { text: `Deleted the user ${deleted.email} (${deleted.id}).`, json: deleted }
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
    return {
      text: `Removed all second factors of ${reset.email}. The next sign-in needs only the password.`,
      json: reset,
    }
  },
})

export const user: Group = {
  verbs: { create, verify, 'reset-link': resetLink, 'reset-two-factor': resetTwoFactor, list, delete: remove },
}
