import type { View } from '@kith/contract/app/views'
import { queryOptions } from '@tanstack/react-query'
import { callForData, dataQuery } from './call.ts'

/** The saved views of a workspace that this member sees, of all resources. */
export function viewsQuery(slug: string) {
  return queryOptions({ ...dataQuery<View[]>([slug, 'views'], `/w/${slug}/views`), staleTime: 5 * 60_000 })
}

export type ViewInput = Pick<View, 'resource' | 'name' | 'shared' | 'state'>

export function createView(slug: string, input: ViewInput): Promise<View> {
  return callForData('POST', `/w/${slug}/views`, { body: input })
}

export function updateView(slug: string, id: string, input: Partial<ViewInput>): Promise<View> {
  return callForData('PATCH', `/w/${slug}/views/${id}`, { body: input })
}

export function deleteView(slug: string, id: string): Promise<unknown> {
  return callForData('DELETE', `/w/${slug}/views/${id}`)
}
