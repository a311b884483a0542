import { parseTarget } from '@kith/contract/import/target'
import type { Resource, ResourceName } from '@kith/contract/resource'
import type { ImportDraft } from '../draft.ts'

/** The choices for a file. A page cannot keep the file itself, but after a reload its choices are not lost. */
type StoredChoices = Pick<ImportDraft, 'picked' | 'chosen'> & { header: readonly string[] }

export function storeChoices(slug: string, resource: ResourceName, { scanned, picked, chosen }: ImportDraft): void {
  const kept: StoredChoices = { header: scanned.header, picked, chosen }
  try {
    localStorage.setItem(keyOf(slug, resource), JSON.stringify(kept))
  } catch {
    // Storage is full or switched off: the choices live as long as the page.
  }
}

export function removeChoices(slug: string, resource: ResourceName): void {
  localStorage.removeItem(keyOf(slug, resource))
}

/** A draft with the earlier choices for a file with the same columns. */
export function withEarlierChoices(draft: ImportDraft, slug: string, resource: Resource): ImportDraft {
  const earlier = choicesIn(localStorage.getItem(keyOf(slug, resource.type)))
  const { header } = draft.scanned
  if (!earlier || earlier.header.join('\n') !== header.join('\n')) return draft
  const { picked, chosen } = earlier
  const targets = draft.targets.map((target, index) => {
    const own = picked[header[index] ?? '']
    // A field may be gone since then.
    return own === undefined || (own !== null && !parseTarget(own, resource)) ? target : own
  })
  return { ...draft, targets, picked, chosen }
}

function choicesIn(text: string | null): StoredChoices | undefined {
  try {
    // Only this file writes it.
    return text === null ? undefined : (JSON.parse(text) as StoredChoices)
  } catch {
    return undefined
  }
}

function keyOf(slug: string, resource: ResourceName): string {
  return `kith.import.${slug}.${resource}`
}
