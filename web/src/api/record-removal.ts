import type { ResourceName } from '@kith/contract/resource'
import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { showToast } from '../components/toast-store.ts'
import { call } from './call.ts'
import { recordsKey } from './records.ts'
import { restoreRecord } from './trash.ts'
import { useSlug } from './workspace.ts'

/** So many requests at once; more would only queue in the service. */
const AT_ONCE = 4

/** Deletes records, says so, and offers to bring them back. */
export function useRecordRemoval(resource: ResourceName): (ids: readonly string[], named: string) => Promise<void> {
  const slug = useSlug()
  const queries = useQueryClient()
  return (ids, named) => removeRecords({ queries, slug, resource }, ids, named)
}

type From = { queries: QueryClient; slug: string; resource: string }

export async function removeRecords(from: From, ids: readonly string[], named: string): Promise<void> {
  const { queries, slug, resource } = from
  const refresh = () => queries.invalidateQueries({ queryKey: recordsKey(slug, resource) })
  const removed = await eachOf(ids, (id) => call('DELETE', `/w/${slug}/v1/${resource}/${id}`))
  await refresh()
  if (removed.failure) showToast({ tone: 'danger', message: `Could not delete: ${removed.failure.message}` })
  if (removed.done.length === 0) return
  const bringBack = async () => {
    const { failure } = await eachOf(removed.done, (id) => restoreRecord(slug, resource, id))
    await refresh()
    if (failure) showToast({ tone: 'danger', message: `Could not restore: ${failure.message}` })
  }
  showToast({ message: `Deleted ${named}`, undo: bringBack })
}

/** Processes a list, a few items at a time. Returns what was done and the first failure. */
async function eachOf(ids: readonly string[], work: (id: string) => Promise<unknown>) {
  const done: string[] = []
  let failure: Error | undefined
  const waiting = [...ids]
  const next = async (): Promise<void> => {
    for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) {
      try {
        await work(id)
        done.push(id)
      } catch (error) {
        failure ??= error instanceof Error ? error : new Error(String(error))
      }
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, next))
  return { done, failure }
}
