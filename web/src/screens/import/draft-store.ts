import type { ResourceName } from '@kith/contract/resource'
import { useSyncExternalStore } from 'react'
import type { Draft } from './draft.ts'

/** Drafts stay while the user looks at other pages, so that a check can be followed by another choice of columns. */
const drafts = new Map<string, Draft>()
const listeners = new Set<() => void>()

export function useDraft(slug: string, resource: ResourceName): Draft | undefined {
  return useSyncExternalStore(onChange, () => draftFor(slug, resource))
}

export function draftFor(slug: string, resource: ResourceName): Draft | undefined {
  return drafts.get(`${slug} ${resource}`)
}

export function keepDraft(slug: string, resource: ResourceName, draft: Draft | undefined): void {
  const key = `${slug} ${resource}`
  const before = drafts.get(key)
  if (draft) drafts.set(key, draft)
  else drafts.delete(key)
  const isUsed = [...drafts.values()].some(({ file }) => file === before?.file)
  if (!isUsed) before?.file.close()
  for (const listener of listeners) listener()
}

function onChange(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
