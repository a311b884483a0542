import { newId } from '@kith/contract/id'
import { useState } from 'react'
import type { Webhook } from '../../../api/webhooks.ts'
import { draftOf, type WebhookDraft } from './webhook-draft.ts'

/** A draft, the webhook as it was when the draft began, and the key that makes it one webhook at most. */
type Kept = { draft: WebhookDraft; begun: WebhookDraft; key: string }

type KeptDraft = Kept & {
  /** Whether it was begun before this page was opened. */
  isOld: boolean
  change(changes: Partial<WebhookDraft>): void
  /** Begins with what is saved. */
  startOver(): void
  /** Forgets the draft: it is saved, or not wanted any more. */
  forget(): void
}

/** A draft that the browser keeps until it is saved or discarded, so that no reload, link or ended session loses it. */
export function useKeptDraft(slug: string, webhook: Webhook | undefined): KeptDraft {
  const key = `kith.webhook.${slug}.${webhook?.id ?? 'new'}`
  const [found] = useState(() => read(key))
  const [kept, setKept] = useState<Kept>(() => found ?? fresh(webhook))
  const [isOld, setOld] = useState(found !== undefined)
  const change = (changes: Partial<WebhookDraft>) => {
    const next = { ...kept, draft: { ...kept.draft, ...changes }, key: newKey() }
    localStorage.setItem(key, JSON.stringify(next))
    setKept(next)
  }
  const forget = () => localStorage.removeItem(key)
  const startOver = () => {
    forget()
    setKept(fresh(webhook))
    setOld(false)
  }
  return { ...kept, isOld, change, startOver, forget }
}

function fresh(webhook: Webhook | undefined): Kept {
  const begun = draftOf(webhook)
  return { draft: begun, begun, key: newKey() }
}

function newKey(): string {
  return newId(Date.now())
}

function read(key: string): Kept | undefined {
  try {
    const kept: (Omit<Kept, 'key'> & Partial<Kept>) | null = JSON.parse(localStorage.getItem(key) ?? 'null')
    // An earlier version of the application may have kept less.
    return kept ? { ...kept, draft: { ...draftOf(undefined), ...kept.draft }, key: kept.key ?? newKey() } : undefined
  } catch {
    return undefined
  }
}
