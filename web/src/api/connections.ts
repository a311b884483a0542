import type { Connection } from '@kith/contract/app/connections'
import { queryOptions } from '@tanstack/react-query'
import { callForData } from './call.ts'

export function connectionsQuery(slug: string) {
  return queryOptions({
    queryKey: [slug, 'connections'],
    queryFn: ({ signal }) => callForData<Connection[]>('GET', `/w/${slug}/connections`, { signal }),
  })
}

export function endConnection(slug: string, id: string): Promise<unknown> {
  return callForData('DELETE', `/w/${slug}/connections/${id}`)
}
