import type { Ability } from '@kith/contract/abilities'
import type { FreshTokenAnswer, TokenRow } from '@kith/contract/app/tokens'
import { queryOptions } from '@tanstack/react-query'
import { callForData } from './call.ts'

export function tokensQuery(slug: string, whose: 'own' | 'all') {
  return queryOptions({
    queryKey: [slug, 'tokens', whose],
    queryFn: ({ signal }) =>
      callForData<TokenRow[]>('GET', `/w/${slug}/tokens${whose === 'all' ? '?all=1' : ''}`, { signal }),
  })
}

export type TokenInput = { name: string; abilities: Ability[]; expires_in_days: number | null }

export function createToken(slug: string, input: TokenInput): Promise<FreshTokenAnswer> {
  return callForData('POST', `/w/${slug}/tokens`, { body: input })
}

export function revokeToken(slug: string, id: string): Promise<unknown> {
  return callForData('DELETE', `/w/${slug}/tokens/${id}`)
}
