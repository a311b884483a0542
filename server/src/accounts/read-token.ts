import { refuse } from '@kith/contract/refusal'
import type { TokenAttributes } from '@kith/contract/token-attributes'
import type { TokenFacts } from '../calls/call.ts'
import { requireAbilities } from '../records/allow.ts'
import type { ResourceObject } from '../records/present.ts'
import type { Scope } from '../scope/scope.ts'
import { findConnection } from '../storage/tables/connections.ts'
import { findToken } from '../storage/tables/tokens.ts'
import { nameOf } from './oauth/connections.ts'

/** The access token of the request, or the connection of a connected program. */
export async function readToken(scope: Scope, { expires_at, limits }: TokenFacts): Promise<ResourceObject> {
  requireAbilities(scope, ['read'])
  const { actor, workspace } = scope
  const { token_id, abilities, role } = actor
  if (token_id === null) return refuse({ kind: 'not_found', message: 'A session has no access token.' })
  const attributes: TokenAttributes = {
    name: await findName(scope, token_id),
    abilities,
    expires_at,
    role,
    limits,
    workspace: { id: workspace.id, name: workspace.name, slug: workspace.slug },
  }
  return { id: token_id, type: 'tokens', attributes }
}

async function findName({ db, workspace }: Scope, id: string): Promise<string> {
  const token = await findToken(db, workspace.id, id)
  if (token) return token.name
  const connection = await findConnection(db, workspace.id, id)
  return nameOf(connection?.client_name ?? null)
}
