import type { ResourceName } from '@kith/contract/resource'
import { callForData } from './call.ts'
import { searchOf } from './page.ts'

/** A record that was found. `detail` distinguishes it from others of the same name. */
type SearchResult = { id: string; resource: ResourceName; name: string; detail: string | null }

type Wanted = { q: string; resource?: ResourceName; per_page?: number }

/** The records that have all words of a query, the best matches first. */
export async function searchRecords(slug: string, wanted: Wanted, signal: AbortSignal): Promise<SearchResult[]> {
  type Answer = { id: string; attributes: Omit<SearchResult, 'id'> }[]
  const found = await callForData<Answer>('GET', `/w/${slug}/v1/search${searchOf(wanted)}`, { signal })
  return found.map(({ id, attributes }) => ({ id, ...attributes }))
}
