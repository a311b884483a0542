import type { ResourceName } from '@kith/contract/resource'
import { createStore, useStore } from '../../store.ts'
import type { ImportDraft } from './draft.ts'

/** Drafts stay while the user looks at other pages, so that a check can be followed by another choice of columns. */
const drafts = createStore<ReadonlyMap<string, ImportDraft>>(new Map())

export function useDraft(slug: string, resource: ResourceName): ImportDraft | undefined {
  return useStore(drafts).get(`${slug} ${resource}`)
}

export function draftFor(slug: string, resource: ResourceName): ImportDraft | undefined {
  return drafts.get().get(`${slug} ${resource}`)
}

export function keepDraft(slug: string, resource: ResourceName, draft: ImportDraft | undefined): void {
  const key = `${slug} ${resource}`
  const next = new Map(drafts.get())
  const before = next.get(key)
  if (draft) next.set(key, draft)
  else next.delete(key)
  const isUsed = [...next.values()].some(({ file }) => file === before?.file)
  if (!isUsed) before?.file.close()
  drafts.set(next)
}
