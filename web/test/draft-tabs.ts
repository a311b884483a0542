import { KithError } from '@kith/sdk'
import type { call } from '../src/api/call.ts'
import type { RecordInput } from '../src/api/patch-record.ts'
import type { ApiRecord } from '../src/api/records.ts'
import { createQueue, seenIn } from '../src/drafts/draft-queue.ts'
import { createDraftStore, type Draft, type DraftPlace } from '../src/drafts/draft-store.ts'

type Event = { key: string | null; newValue: string | null }

/** The storage of a browser. Each of its tabs hears what the others write, if it listens. */
export function browser() {
  const values = new Map<string, string>()
  const tabs = new Set<(event: Event) => void>()
  let room = Number.POSITIVE_INFINITY
  /** The storage as one tab has it. */
  const open = (hear: (event: Event) => void) => {
    tabs.add(hear)
    const tell = (key: string, newValue: string | null) => {
      for (const other of tabs) if (other !== hear) other({ key, newValue })
    }
    const storage: Storage = {
      get length() {
        return values.size
      },
      key: (index) => [...values.keys()][index] ?? null,
      getItem: (key) => values.get(key) ?? null,
      setItem(key, value) {
        if (value.length > room) throw new Error('QuotaExceededError')
        values.set(key, value)
        tell(key, value)
      },
      removeItem(key) {
        values.delete(key)
        tell(key, null)
      },
      clear: () => values.clear(),
    }
    return { storage, forget: () => void tabs.delete(hear) }
  }
  const drafts = () => [...values.keys()].filter((key) => key.startsWith('kith.draft.'))
  return {
    open,
    drafts,
    /** Leaves room for short texts only. */
    fill(size: number): void {
      room = size
    },
  }
}

type Browser = ReturnType<typeof browser>
type Sent = { method: string; path: string; body: unknown; key: string | undefined }

export const failure = (kind: KithError['kind'], message = 'No.') => new KithError({ kind, message })
export const unreachable = () => failure('unreachable', 'The service could not be reached.')

/** A service with notes. It can be away, lose answers, or be slow. */
export function service() {
  const records = new Map<string, ApiRecord>()
  const answers = new Map<string, ApiRecord>()
  const sent: Sent[] = []
  let version = 0
  let hindrance = async (_sent: Sent, _when: 'before' | 'after'): Promise<void> => {}
  const write = (id: string, input: RecordInput) => {
    const { custom_fields, ...attributes } = input
    const before = records.get(id)?.attributes
    version += 1
    const next: ApiRecord = {
      id,
      type: 'notes',
      relationships: {},
      attributes: {
        created_at: 'then',
        creation_source: 'web',
        ...before,
        ...attributes,
        updated_at: `version ${String(version).padStart(3, '0')}`,
        custom_fields: { ...before?.custom_fields, ...custom_fields },
      },
    }
    records.set(id, next)
    return next
  }
  const answer = ({ method, path, body, key = '' }: Sent, seen: string | undefined): ApiRecord => {
    const id = method === 'POST' ? `record ${records.size + 1}` : (path.split('/').at(-1) ?? '')
    const known = records.get(id)
    const kept = answers.get(key)
    if (kept) return kept
    if (method !== 'POST' && !known) throw failure('not_found', 'No note with this ID.')
    if (method === 'GET') return known as ApiRecord
    if (method === 'DELETE') records.delete(id)
    if (method === 'DELETE') return known as ApiRecord
    if (seen !== undefined && seen !== known?.attributes.updated_at) throw failure('precondition_failed')
    const stored = write(id, body as RecordInput)
    answers.set(key, stored)
    return stored
  }
  const answerCall: typeof call = async <Answer>(method: string, path: string, options = {}) => {
    const { body, key, version } = options as { body?: unknown; key?: string; version?: string }
    const one = { method, path, body, key }
    if (path.endsWith('/workspace')) {
      await hindrance(one, 'before')
      return undefined as Answer
    }
    if (method !== 'GET') sent.push(one)
    await hindrance(one, 'before')
    const data = answer(one, version)
    await hindrance(one, 'after')
    return { data } as Answer
  }
  const textOf = (id: string) => records.get(id)?.attributes.custom_fields.body
  return {
    call: answerCall,
    sent,
    records,
    write,
    textOf,
    /** Called around each request; what it throws is the answer. */
    hinder(next: typeof hindrance): void {
      hindrance = next
    },
    recover(): void {
      hindrance = async () => {}
    },
  }
}

type Service = ReturnType<typeof service>

/** A tab of the application, of a user who is signed in. */
export function tab({ call }: Service, shared: Browser, user = 'ada') {
  const states: string[] = []
  let [hears, isOpen] = [true, true]
  const { storage, forget } = shared.open((event) => hears && drafts.followStorage(event))
  const drafts = createDraftStore(() => storage)
  const queue = createQueue({
    drafts,
    call,
    // A closed tab sends nothing any more.
    alone: (work) => (isOpen ? work() : new Promise(() => {})),
    onStored: (draft, stored) => stored && drafts.noteStored(draft, seenIn(draft, stored)),
    onSession: (state) => states.push(state),
  })
  drafts.openDrafts(user)
  queue.start()
  return {
    drafts,
    queue,
    states,
    close() {
      isOpen = false
      forget()
    },
    hear(next: boolean): void {
      hears = next
    },
    at: (id = 'one') => drafts.draftAt(place(id)),
    /** Types a text into a note. */
    type(text: string, { id = 'one', state = 'typing', seen }: Partial<Draft> = {}) {
      const before = drafts.draftAt(place(id))
      const shown = { custom_fields: { body: text } }
      const known = seen ?? before?.theirs ?? before?.seen ?? drafts.lastStored(place(id))
      const about = { name: 'Call', label: 'Body', change: { input: shown, shown } }
      drafts.putDraft({ ...place(id), ...about, state, sent: before?.sent, ...(known && { seen: known }) })
    },
  }
}

export const place = (id: string): DraftPlace => ({
  slug: 'acme',
  resource: 'notes',
  id,
  property: 'custom_fields.body',
})
export const body = (text: string) => ({ custom_fields: { body: text } })
/** What a user saw who has read the note. */
export const seenOf = ({ records }: Service, id = 'one') =>
  seenIn({ change: { input: body(''), shown: body('') } }, records.get(id) as ApiRecord)
