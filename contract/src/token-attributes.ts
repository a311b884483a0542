import { abilities, roles } from './abilities.ts'
import * as is from './shape.ts'

const limit = (says: string) => is.orNull(is.whole({ from: 1 }), says)

/** How many a minute. */
const tokenLimits = is.object(
  {
    workspace: limit('Requests of all tokens of the workspace.'),
    reads: limit('Reads of this token.'),
    writes: limit('Writes of this token.'),
    items: limit('Items that the tokens of the workspace write.'),
  },
  'How many a minute. Null for a limit that is off.',
)

const tokenAttributes = {
  name: is.text(),
  abilities: is.list(is.word(abilities), { uniqueItems: true }),
  expires_at: is.orNull(is.time(), 'Null if it never expires.'),
  role: is.word(roles, "The role of the token's user. It must allow a request, too."),
  limits: is.component('TokenLimits', tokenLimits),
  workspace: is.object({ id: is.id(), name: is.text(), slug: is.text() }),
} as const

export type TokenAttributes = is.Shown<typeof tokenAttributes>

export const tokenComponents = {
  ...is.noun('Token', 'tokens', { attributes: is.named('TokenAttributes') }),
  TokenAttributes: is.shownSchema(tokenAttributes),
  TokenLimits: tokenLimits.schema,
  TokenDocument: is.documentOf('Token'),
}
