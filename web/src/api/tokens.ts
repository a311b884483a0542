import type { Ability } from '@kith/contract/abilities'
import type { Connection, ConsentAnswer, ConsentRequest } from '@kith/contract/app/connections'
import type { FreshTokenAnswer, TokenRow } from '@kith/contract/app/tokens'
import { queryOptions } from '@tanstack/react-query'
import { callForData, dataQuery } from './call.ts'

export function tokensQuery(slug: string, whose: 'own' | 'all') {
  return dataQuery<TokenRow[]>([slug, 'tokens', whose], `/w/${slug}/tokens${whose === 'all' ? '?all=1' : ''}`)
}

export type TokenInput = { name: string; abilities: Ability[]; expires_in_days: number | null }

export function createToken(slug: string, input: TokenInput): Promise<FreshTokenAnswer> {
  return callForData('POST', `/w/${slug}/tokens`, { body: input })
}

export function revokeToken(slug: string, id: string): Promise<unknown> {
  return callForData('DELETE', `/w/${slug}/tokens/${id}`)
}

export function connectionsQuery(slug: string) {
  return dataQuery<Connection[]>([slug, 'connections'], `/w/${slug}/connections`)
}

export function endConnection(slug: string, id: string): Promise<unknown> {
  return callForData('DELETE', `/w/${slug}/connections/${id}`)
}

/** The program and the abilities that it asks for. The service has signed the query of the page. */
export function consentQuery(query: string) {
  return queryOptions({ ...dataQuery<ConsentRequest>(['consent', query], `/oauth/consent?${query}`), retry: false })
}

/** Answers the program. Returns where the browser goes next. */
export function settleConsent(
  consent: { query: string } & ({ accept: true; workspace: string; abilities: Ability[] } | { accept: false }),
): Promise<ConsentAnswer> {
  return callForData('POST', '/oauth/consent', { body: consent })
}
