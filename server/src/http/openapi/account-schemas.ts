import { abilities, roles } from '@kith/contract/abilities'
import { documentOf, pageOf } from './list-schemas.ts'
import { closed, constant, enumOf, is, orNull, ref, type Schema, says } from './schema.ts'

/** The members of the workspace, and the access token of the request. */
export function accountSchemas(): Record<string, Schema> {
  return {
    UserList: pageOf('User'),
    Token: closed({ id: ref('Id'), type: constant('tokens'), attributes: ref('TokenAttributes') }),
    TokenAttributes: closed({
      name: is.text,
      abilities: { type: 'array', items: enumOf(abilities), uniqueItems: true },
      expires_at: says(orNull(ref('Timestamp')), 'Null if it never expires.'),
      role: says(enumOf(roles), "The role of the token's user. It must allow a request, too."),
      limits: ref('TokenLimits'),
      workspace: closed({ id: ref('Id'), name: is.text, slug: is.text }),
    }),
    TokenLimits: closed(
      {
        workspace: limit('Requests of all tokens of the workspace.'),
        reads: limit('Reads of this token.'),
        writes: limit('Writes of this token.'),
        items: limit('Items that the tokens of the workspace write.'),
      },
      { description: 'How many a minute. Null for a limit that is off.' },
    ),
    TokenDocument: documentOf('Token'),
  }
}

function limit(description: string): Schema {
  return { type: ['integer', 'null'], minimum: 1, description }
}
