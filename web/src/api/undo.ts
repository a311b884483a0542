import type { UndoMeta, UndoResult } from '@kith/contract/changes/undo'
import { newId } from '@kith/contract/id'
import { call, callForData, searchOf } from './call.ts'

export type UndoResults = { data: UndoResult[]; meta: UndoMeta }

/** Undoes changes, the latest first, or checks whether they can be undone. */
export async function undoChanges(
  slug: string,
  ids: readonly string[],
  { key = newId(Date.now()), dry_run = false }: { key?: string; dry_run?: boolean } = {},
): Promise<UndoResults> {
  if (ids.length === 0) return { data: [], meta: { total: 0, succeeded: 0, failed: 0, dry_run } }
  return call('POST', `/w/${slug}/v1/changes/undo`, { body: { ids, dry_run }, key })
}

/** What a token or connection has changed since a time and can be undone, or why not. */
export function changesOfToken(slug: string, token: string, hours: number) {
  return {
    queryKey: [slug, 'changes of', token, hours],
    queryFn: async () => {
      const since = new Date(Date.now() - hours * 3_600_000).toISOString()
      const ids = await callForData<string[]>('GET', `/w/${slug}/tokens/${token}/changes${searchOf({ since })}`)
      return undoChanges(slug, ids, { dry_run: true })
    },
    gcTime: 0,
    retry: false,
  }
}
