import { abilities, roles } from '@kith/contract/abilities'
import { PER_PAGE_MAX } from '@kith/contract/limits'
import { paged } from './list-schemas.ts'
import { closed, orNull, ref, type Schema } from './schema.ts'

/** The members of the workspace, and the access token of the request. */
export function accountSchemas(): Record<string, Schema> {
  return {
    UserList: closed({ data: { type: 'array', items: ref('User'), maxItems: PER_PAGE_MAX }, ...paged }),
    Token: closed({ id: ref('Id'), type: { type: 'string', const: 'tokens' }, attributes: ref('TokenAttributes') }),
    TokenAttributes: closed({
      name: { type: 'string' },
      abilities: { type: 'array', items: { type: 'string', enum: abilities }, uniqueItems: true },
      expires_at: { ...orNull(ref('Timestamp')), description: 'Null if it never expires.' },
      role: { type: 'string', enum: roles, description: "The role of the token's user. It must allow a request, too." },
      limits: ref('TokenLimits'),
      workspace: closed({ id: ref('Id'), name: { type: 'string' }, slug: { type: 'string' } }),
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
    TokenDocument: closed({ data: ref('Token') }),
  }
}

function limit(description: string): Schema {
  return { type: ['integer', 'null'], minimum: 1, description }
}
