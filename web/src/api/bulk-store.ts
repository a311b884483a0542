import type { ResourceName } from '@kith/contract/resource'
import { useSyncExternalStore } from 'react'
import { keepUndo, type ShownToast, undoToast } from '../components/toast-store.ts'
import { type BulkAction, type BulkJob, type BulkRecords, findRecords, newBulkRun, sendChunk } from './bulk-job.ts'

type Run = ReturnType<typeof newBulkRun>
type Current = { slug: string; job: BulkJob; run: Run; cancelled: boolean; undo?: ShownToast }

let current: Current | undefined
const listeners = new Set<() => void>()

/** The change of many records that runs or has just ended. There is one at a time. */
export function useBulkJob(): { slug: string; job: BulkJob } | undefined {
  return useSyncExternalStore(onChange, () => current)
}

function onChange(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

function show(next: Current | undefined): void {
  current = next
  for (const listener of listeners) listener()
}

export function isBulkRunning(): boolean {
  return current !== undefined && isRunning(current.job)
}

function isRunning({ state }: BulkJob): boolean {
  return state === 'running' || state === 'waiting'
}

type BulkStart = { slug: string; resource: ResourceName; action: BulkAction; records: BulkRecords }

/** Begins a job. It goes on while the user opens other pages. */
export function startBulk({ slug, resource, action, records }: BulkStart): void {
  const filter = 'ids' in records ? null : (records.filter ?? null)
  const run = newBulkRun(slug, resource, {
    find: () => findRecords(slug, resource, records),
    send: (chunk, key) => {
      const ids = chunk.map(({ id }) => id)
      return sendChunk(slug, action.kind, { resource, ids, filter, key, ...changeOf(action) })
    },
  })
  begin({ slug, run, resource, action, isUndo: false })
}

function changeOf(action: BulkAction): object {
  if (action.kind === 'delete') return {}
  const { attribute, op, value } = action
  return { attribute, op, ...(op !== 'clear' && { value }) }
}

/** Gives each record what it had before, unless it was changed since. */
export function undoBulk(): void {
  if (current?.undo && !isBulkRunning()) void undoToast(current.undo)
}

function beginUndo({ slug, run: before, job }: Current): 'later' {
  if (isBulkRunning()) throw new Error('Another change of many records is still running.')
  const { resource, action } = job
  // The latest first. The job that is undone may be continued no more, so that its list does not change.
  const records = before.undo.toReversed()
  const run = newBulkRun(slug, resource, {
    find: async () => records,
    send: (chunk, key) => {
      const body = { resource, records: chunk, key }
      if (action.kind === 'delete') return sendChunk(slug, 'restore', body)
      return sendChunk(slug, 'undo-edit', { ...body, attribute: action.attribute })
    },
  })
  begin({ slug, run, resource, action, isUndo: true })
  return 'later'
}

type Begin = Pick<BulkJob, 'resource' | 'action' | 'isUndo'> & { slug: string; run: Run }

function begin({ slug, run, ...about }: Begin): void {
  const counts = { done: 0, changed: 0, skipped: 0, failed: 0 }
  show({
    slug,
    run,
    cancelled: false,
    job: { ...about, ...counts, state: 'running', total: undefined, message: undefined },
  })
  void proceed()
}

async function proceed(): Promise<void> {
  const started = current
  if (!started) return
  window.addEventListener('beforeunload', warn)
  await started.run.run({
    isCancelled: () => current?.cancelled ?? true,
    change: (part) => current && show(withUndo({ ...current, job: { ...current.job, ...part } })),
  })
  window.removeEventListener('beforeunload', warn)
}

/** Lets what has ended be taken back with its button or a key. */
function withUndo(next: Current): Current {
  const { job, undo } = next
  if (undo || job.isUndo || job.changed === 0 || isRunning(job)) return next
  return { ...next, undo: keepUndo({ message: 'Change of many records', undo: () => beginUndo(next) }) }
}

/** The rest of the records would not be changed. */
function warn(event: BeforeUnloadEvent): void {
  event.preventDefault()
}

/** Stops after the records in progress. */
export function cancelBulk(): void {
  if (current) show({ ...current, cancelled: true })
}

/** Goes on after a refusal, with the same records. */
export function continueBulk(): void {
  if (!current || isBulkRunning()) return
  show({ ...current, cancelled: false, job: { ...current.job, state: 'running', message: undefined } })
  void proceed()
}

export function closeBulk(): void {
  if (!isBulkRunning()) show(undefined)
}
