import { abilities } from '@kith/contract/abilities'
import { createToken, EXPIRIES, listTokens, revokeToken, type Token } from '../accounts/tokens.ts'
import { enterAsMember, enterAsOperator, withSource } from '../accounts/workspace.ts'
import { defineCommand, type Group, workspaceOption as workspace } from './command.ts'
import { printTable } from './table.ts'
import { withDatabase, withWorkspace } from './with-database.ts'

const create = defineCommand({
  about: 'Create an access token and print it. It is shown only once.',
  options: {
    workspace,
    user: { value: 'E', about: 'The email address of the member whose token it is.', required: true },
    name: { value: 'N', about: 'What it is for.', required: true },
    abilities: { value: 'A', about: `A comma-separated list of ${abilities.join(', ')}.`, required: true },
    expires: { value: 'DAYS', about: `${EXPIRIES.join(', ')} (the default).` },
  },
  async run(values, context) {
    const made = await withDatabase(context, async (runtime) => {
      const { workspace } = await enterAsOperator(runtime, values.workspace)
      const scope = withSource(await enterAsMember(runtime, workspace.slug, values.user), 'cli')
      const { name, expires = 'never' } = values
      return createToken(scope, { name, abilities: words(values.abilities), expires })
    })
    const until = made.expires_at === null ? 'It never expires.' : `It expires at ${made.expires_at}.`
    context.tell(`Keep this token, it is not shown again. ${until}`)
    return { text: made.token, json: made }
  },
})

const list = defineCommand({
  about: 'List the tokens of a workspace.',
  options: { workspace },
  async run(values, context) {
    const tokens = await withWorkspace(context, values.workspace, listTokens)
    const rows = tokens.map((one) => {
      const { id, name, user_email, abilities, expires_at, last_used_at } = one
      return [id, name, user_email, abilities.join(','), stateOf(one, context.now()), expires_at, last_used_at]
    })
    const columns = ['id', 'name', 'user', 'abilities', 'state', 'expires', 'last used']
    return { text: printTable(columns, rows), json: tokens }
  },
})

const revoke = defineCommand({
  about: 'Revoke a token. It is refused from the next request on.',
  options: {
    workspace,
    id: { value: 'ID', about: 'The id of the token, as `kith token list` shows it.', required: true },
  },
  async run(values, context) {
    const revoked = await withWorkspace(context, values.workspace, (scope) => revokeToken(scope, values.id))
    return { text: `Revoked the token ${revoked.name} (${revoked.id}).`, json: revoked }
  },
})

export const token: Group = { verbs: { create, list, revoke } }

function words(list: string): string[] {
  const all = list.split(',').map((word) => word.trim())
  return all.filter((word) => word !== '')
}

function stateOf(one: Token, now: Date): string {
  if (one.revoked_at !== null) return 'revoked'
  return one.expires_at !== null && Date.parse(one.expires_at) <= now.getTime() ? 'expired' : 'active'
}
