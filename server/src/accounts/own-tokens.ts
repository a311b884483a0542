import type { FreshTokenAnswer, TokenRow } from '@kith/contract/app/tokens'
import { requirePermission } from '../records/allow.ts'
import { readInput } from '../scope/read-input.ts'
import type { Scope } from '../scope/scope.ts'
import { createToken, listTokens, TOKEN_NAME_MAX } from './tokens.ts'

/** The active tokens for the application: the actor's own, or with `all` those of the workspace. */
export async function listWorkingTokens(scope: Scope, input: unknown): Promise<TokenRow[]> {
  const all = readInput(input, (fields) => fields.optionalText('all') === '1')
  if (all) requirePermission(scope, 'see_all_tokens')
  const tokens = await listTokens(scope)
  return tokens
    .filter(({ revoked_at, user_id }) => revoked_at === null && (all || user_id === scope.actor.user_id))
    .map(({ id, name, user_id, user_name, user_email, abilities, expires_at, last_used_at, created_at }) => {
      const user = { id: user_id, name: user_name, email: user_email }
      return { id, name, user, abilities, expires_at, last_used_at, created_at }
    })
}

/** Creates a token for the signed-in user. */
export function createOwnToken(scope: Scope, input: unknown): Promise<FreshTokenAnswer> {
  requirePermission(scope, 'make_tokens')
  const wanted = readInput(input, (fields) => ({
    name: fields.text('name', TOKEN_NAME_MAX),
    abilities: fields.raw('abilities'),
    expires: expiryIn(fields.raw('expires_in_days')),
  }))
  return createToken(scope, { ...wanted, expires_key: 'expires_in_days' })
}

function expiryIn(raw: unknown): string {
  return raw === null ? 'never' : typeof raw === 'number' ? String(raw) : ''
}
