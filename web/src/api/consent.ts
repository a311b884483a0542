import type { Ability } from '@kith/contract/abilities'
import type { ConsentAnswer, ConsentRequest } from '@kith/contract/app/connections'
import { queryOptions } from '@tanstack/react-query'
import { callForData } from './call.ts'

/** Who asks for what. The query is the one with which the program has sent the browser here, signed by the service. */
export function consentQuery(query: string) {
  return queryOptions({
    queryKey: ['consent', query],
    queryFn: ({ signal }) => callForData<ConsentRequest>('GET', `/oauth/consent?${query}`, { signal }),
    retry: false,
  })
}

export type Consent =
  | { accept: true; query: string; workspace: string; abilities: Ability[] }
  | { accept: false; query: string }

/** Answers the program. Returns where the browser goes next. */
export function settleConsent(consent: Consent): Promise<ConsentAnswer> {
  return callForData('POST', '/oauth/consent', { body: consent })
}
