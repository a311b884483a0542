import type { BillingAnswer } from '@kith/contract/app/workspace'
import { queryOptions } from '@tanstack/react-query'
import { callForData } from './call.ts'

/** What owners and admins do with the workspace itself. */

export function renameWorkspace(slug: string, name: string): Promise<unknown> {
  return callForData('PATCH', `/w/${slug}/workspace`, { body: { name } })
}

export function requireSecondFactor(slug: string, required: boolean): Promise<unknown> {
  return callForData('POST', `/w/${slug}/second-factor`, { body: { required } })
}

export function deleteWorkspace(slug: string): Promise<unknown> {
  return callForData('DELETE', `/w/${slug}/workspace`, { body: { confirm: slug } })
}

export function fillWithSample(slug: string): Promise<unknown> {
  return callForData('POST', `/w/${slug}/sample`, { body: {} })
}

export function billingQuery(slug: string) {
  return queryOptions({
    queryKey: [slug, 'billing'],
    queryFn: ({ signal }) => callForData<BillingAnswer>('GET', `/w/${slug}/billing`, { signal }),
  })
}
