import type { UndoResult } from '@kith/contract/changes/undo'
import { newId } from '@kith/contract/id'
import type { ResourceName } from '@kith/contract/resource'
import { KithError } from '@kith/sdk'
import { keepUndo, type Toast, undoToast } from '../components/toast-store.ts'
import { createStore, useStore } from '../store.ts'
import { callForData } from './call.ts'
import { queryClient } from './query-client.ts'
import { recordsKey } from './records.ts'
import { undoChanges } from './undo.ts'

type Run = ReturnType<typeof newBulkRun>

type BulkState = { slug: string; job: BulkJob; run: Run; cancelled: boolean; undo?: Toast }

const state = createStore<BulkState | undefined>(undefined)

/** The change of many records that runs or has just ended. There is one at a time. */
export function useBulkJob(): { slug: string; job: BulkJob } | undefined {
  return useStore(state)
}

export function isBulkRunning(): boolean {
  const current = state.get()
  return current !== undefined && isRunning(current.job)
}

function isRunning({ state }: BulkJob): boolean {
  return state === 'running' || state === 'waiting'
}

/** Begins a job. It goes on while the user opens other pages. */
export function startBulk(options: {
  slug: string
  resource: ResourceName
  words: BulkJob['words']
  action: BulkAction
  records: BulkRecords
}): void {
  const { slug, resource, words, action, records } = options
  const filter = 'ids' in records ? null : (records.filter ?? null)
  const run = newBulkRun(slug, resource, {
    find: () => findRecords(slug, resource, records),
    send: (chunk, key) => {
      const body = { resource, ids: chunk, filter, key, ...changeOf(action) }
      return callForData('POST', `/w/${slug}/bulk/${action.kind}`, { body })
    },
  })
  void beginBulk({ slug, run, resource, words, action, isUndo: false })
}

function changeOf(action: BulkAction): object {
  if (action.kind !== 'edit') return {}
  const { attribute, op, value } = action
  return { attribute, op, ...(op !== 'clear' && { value }) }
}

/** Undoes each change, unless the record was changed since. */
export function undoBulk(): void {
  const undo = state.get()?.undo
  if (undo && !isBulkRunning()) void undoToast(undo)
}

function beginUndo({ slug, run: before, job }: BulkState): 'later' {
  if (isBulkRunning()) throw new Error('Another change of many records is still running.')
  const { resource, words, action } = job
  // The latest first. The job that is undone may be continued no more, so that its list does not change.
  const changes = before.undo.toReversed()
  const run = newBulkRun(slug, resource, {
    find: async () => changes,
    send: async (chunk, key) =>
      action.kind === 'create'
        ? callForData('POST', `/w/${slug}/bulk/delete`, { body: { resource, ids: chunk, filter: null, key } })
        : (await undoChanges(slug, chunk, { key })).data.map(resultOf),
  })
  void beginBulk({ slug, run, resource, words, action, isUndo: true })
  return 'later'
}

/** Of a change that cannot be undone, the record was changed or deleted since. */
function resultOf({ id, status }: UndoResult): RecordResult {
  return status < 300 ? { id, outcome: 'changed', change: id } : { id, outcome: 'skipped' }
}

/** Shows a job and runs it, until it ends. */
export function beginBulk(
  options: Pick<BulkJob, 'resource' | 'words' | 'action' | 'isUndo'> & { slug: string; run: Run },
): Promise<void> {
  const { slug, run, ...about } = options
  const counts = { done: 0, changed: 0, skipped: 0, failed: 0 }
  state.set({
    slug,
    run,
    cancelled: false,
    job: { ...about, ...counts, state: 'running', total: undefined, message: undefined },
  })
  return proceed()
}

async function proceed(): Promise<void> {
  const started = state.get()
  if (!started) return
  window.addEventListener('beforeunload', warn)
  await started.run.run({
    isCancelled: () => state.get()?.cancelled ?? true,
    change: (part) => {
      const current = state.get()
      if (current) state.set(withUndo({ ...current, job: { ...current.job, ...part } }))
    },
  })
  window.removeEventListener('beforeunload', warn)
}

/** Once the job has ended, its button or a key undoes it. */
function withUndo(next: BulkState): BulkState {
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
  const current = state.get()
  if (current) state.set({ ...current, cancelled: true })
}

/** Goes on after a refusal, with the same records. */
export function continueBulk(): void {
  const current = state.get()
  if (!current || isBulkRunning()) return
  state.set({ ...current, cancelled: false, job: { ...current.job, state: 'running', message: undefined } })
  void proceed()
}

export function closeBulk(): void {
  if (!isBulkRunning()) state.set(undefined)
}

/** What happens to each of many records. */
export type BulkAction =
  | { kind: 'edit'; label: string; attribute: string; op: EditOp; value: unknown }
  | { kind: 'delete' }

export type EditOp = 'set' | 'clear' | 'add' | 'remove'

/** The records: some of them, or all that meet a filter except some. */
export type BulkRecords = { ids: readonly string[] } | { filter: object | undefined; except: ReadonlySet<string> }

export type RecordResult = { id: string } & (
  | { outcome: 'changed'; change: string }
  | { outcome: 'same' | 'skipped' }
  | { outcome: 'failed'; message: string }
)

/** A change of many records, as the screen shows it. */
export type BulkJob = {
  resource: ResourceName
  /** What the workspace calls one record and many. The panel is shown outside of every workspace too. */
  words: { one: string; many: string }
  action: BulkAction | { kind: 'create' }
  isUndo: boolean
  /** `waiting`: the service does not answer, and the request is repeated. `stopped`: it refused the request. */
  state: 'running' | 'waiting' | 'done' | 'cancelled' | 'stopped'
  /** Undefined until all records are found. */
  total: number | undefined
  done: number
  changed: number
  skipped: number
  failed: number
  /** The first refusal of a record, or why the job stopped. */
  message: string | undefined
}

const CHUNK = 100

const RETRY_MS = 1000

const RETRY_MAX_MS = 15_000

type JobObserver = {
  change(part: Partial<BulkJob>): void
  isCancelled(): boolean
}

/** One job. It ends in `done`, `cancelled` or `stopped`, and can be continued from there. */
export function newBulkRun(
  slug: string,
  resource: ResourceName,
  work: {
    /** Sends a chunk of ids. It has the same key if it is sent again. */
    send(chunk: readonly string[], key: string): Promise<RecordResult[]>
    find(): Promise<readonly string[]>
    /** How many ids are sent at once. */
    chunk?: number
  },
) {
  const { chunk: size = CHUNK } = work
  let found: readonly string[] | undefined
  let key = newId(Date.now())
  const counts = { done: 0, changed: 0, skipped: 0, failed: 0 }
  /** The changes that it has made. */
  const undo: string[] = []
  let message: string | undefined

  async function next({ change, isCancelled }: JobObserver): Promise<void> {
    found ??= await work.find()
    change({ total: found.length })
    while (counts.done < found.length && !isCancelled()) {
      const chunk = found.slice(counts.done, counts.done + size)
      take(await work.send(chunk, key))
      key = newId(Date.now())
      change({ ...counts, message, state: 'running' })
    }
  }

  function take(results: readonly RecordResult[]): void {
    for (const result of results) {
      counts.done += 1
      if (result.outcome === 'changed') {
        counts.changed += 1
        undo.push(result.change)
      } else if (result.outcome === 'skipped') counts.skipped += 1
      else if (result.outcome === 'failed') {
        counts.failed += 1
        message ??= result.message
      }
    }
  }

  return {
    undo,
    async run(watch: JobObserver): Promise<void> {
      for (let tries = 0; ; tries++) {
        const before = counts.done
        try {
          await next(watch)
          watch.change({ state: watch.isCancelled() ? 'cancelled' : 'done' })
          break
        } catch (error) {
          if (watch.isCancelled()) watch.change({ state: 'cancelled' })
          else if (!mayPass(error)) watch.change({ state: 'stopped', message: messageOf(error) })
          if (watch.isCancelled() || !mayPass(error)) break
          if (counts.done > before) tries = 0
          watch.change({ state: 'waiting' })
          await pause(delayOf(error, tries), watch)
        }
      }
      await queryClient.invalidateQueries({ queryKey: recordsKey(slug, resource) })
    },
  }
}

/** Whether the request may succeed if it is sent again. A crash of the service may have left it done or not. */
function mayPass(error: unknown): boolean {
  const kinds = ['unreachable', 'busy', 'rate_limited', 'conflict', 'server_error', 'unexpected']
  return error instanceof KithError && kinds.includes(error.kind)
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const problems = error instanceof KithError ? Object.values(error.errors).flat() : []
  return problems.length > 0 ? problems.join(' ') : error.message
}

function delayOf(error: unknown, tries: number): number {
  const asked = error instanceof KithError ? error.retry_after : null
  return asked === null ? Math.min(RETRY_MAX_MS, RETRY_MS * 2 ** tries) : asked * 1000
}

/** Waits, but not after the job is cancelled. */
async function pause(ms: number, { isCancelled }: JobObserver): Promise<void> {
  const until = Date.now() + ms
  while (Date.now() < until && !isCancelled()) await new Promise((resolve) => setTimeout(resolve, 100))
}

/** The ids of all records, with a request for each few thousand. */
async function findRecords(slug: string, resource: ResourceName, records: BulkRecords): Promise<readonly string[]> {
  if ('ids' in records) return records.ids
  const found: string[] = []
  let after: string | null = null
  do {
    const body: object = { resource, filter: records.filter ?? null, after }
    const page: { ids: string[]; after: string | null } = await callForData('POST', `/w/${slug}/bulk/ids`, { body })
    found.push(...page.ids.filter((id) => !records.except.has(id)))
    after = page.after
  } while (after !== null)
  return found
}
