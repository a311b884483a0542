import { abilities, roles } from './abilities.ts'
import { component, id, list, object, orNull, type Shown, text, time, whole, word } from './shape.ts'

const limit = (says: string) => orNull(whole({ from: 1 }), says)

/** How many a minute. */
export const tokenLimits = object(
  {
    workspace: limit('Requests of all tokens of the workspace.'),
    reads: limit('Reads of this token.'),
    writes: limit('Writes of this token.'),
    items: limit('Items that the tokens of the workspace write.'),
  },
  'How many a minute. Null for a limit that is off.',
)

/** An access token. */
export const tokenAttributes = {
  name: text(),
  abilities: list(word(abilities), { uniqueItems: true }),
  expires_at: orNull(time(), 'Null if it never expires.'),
  role: word(roles, "The role of the token's user. It must allow a request, too."),
  limits: component('TokenLimits', tokenLimits),
  workspace: object({ id: id(), name: text(), slug: text() }),
} as const

export type TokenAttributes = Shown<typeof tokenAttributes>
