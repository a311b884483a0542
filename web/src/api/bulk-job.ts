import { newId } from '@kith/contract/id'
import type { ResourceName } from '@kith/contract/resource'
import { KithError } from '@kith/sdk'
import { callForData } from './call.ts'
import { queryClient } from './query-client.ts'
import { recordsKey } from './records.ts'

/** What happens to each of many records. */
export type BulkAction =
  | { kind: 'edit'; label: string; attribute: string; op: EditOp; value: unknown }
  | { kind: 'delete' }
export type EditOp = 'set' | 'clear' | 'add' | 'remove'

/** The records: some of them, or all that meet a filter except some. */
export type BulkRecords = { ids: readonly string[] } | { filter: object | undefined; except: ReadonlySet<string> }

type Earlier = { id: string; updated_at: string; before: unknown }
type Result = { id: string } & (
  | ({ outcome: 'changed' } & Omit<Earlier, 'id'>)
  | { outcome: 'same' | 'skipped' }
  | { outcome: 'failed'; message: string }
)

/** A change of many records, as the screen shows it. */
export type BulkJob = {
  resource: ResourceName
  action: BulkAction
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

type Work = {
  /** Sends a chunk. It has the same key if it is sent again. */
  send(chunk: readonly Earlier[], key: string): Promise<Result[]>
  find(): Promise<readonly Earlier[]>
}

type Watch = {
  change(part: Partial<BulkJob>): void
  isCancelled(): boolean
}

/** One job. It ends in `done`, `cancelled` or `stopped`, and can be continued from there. */
export function newBulkRun(slug: string, resource: ResourceName, work: Work) {
  let found: readonly Earlier[] | undefined
  let key = newId(Date.now())
  const counts = { done: 0, changed: 0, skipped: 0, failed: 0 }
  const undo: Earlier[] = []
  let message: string | undefined

  async function next({ change, isCancelled }: Watch): Promise<void> {
    found ??= await work.find()
    change({ total: found.length })
    while (counts.done < found.length && !isCancelled()) {
      const chunk = found.slice(counts.done, counts.done + CHUNK)
      take(await work.send(chunk, key))
      key = newId(Date.now())
      change({ ...counts, message, state: 'running' })
    }
  }

  function take(results: readonly Result[]): void {
    for (const result of results) {
      counts.done += 1
      if (result.outcome === 'changed') {
        counts.changed += 1
        undo.push({ id: result.id, updated_at: result.updated_at, before: result.before })
      } else if (result.outcome === 'skipped') counts.skipped += 1
      else if (result.outcome === 'failed') {
        counts.failed += 1
        message ??= result.message
      }
    }
  }

  return {
    undo,
    async run(watch: Watch): Promise<void> {
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
async function pause(ms: number, { isCancelled }: Watch): Promise<void> {
  const until = Date.now() + ms
  while (Date.now() < until && !isCancelled()) await new Promise((resolve) => setTimeout(resolve, 100))
}

/** The ids of all records, with a request for each few thousand. */
export async function findRecords(
  slug: string,
  resource: ResourceName,
  records: BulkRecords,
): Promise<readonly Earlier[]> {
  const wanted = (id: string) => ({ id, updated_at: '', before: null })
  if ('ids' in records) return records.ids.map(wanted)
  const found: Earlier[] = []
  let after: string | null = null
  do {
    const body: object = { resource, filter: records.filter ?? null, after }
    const page: { ids: string[]; after: string | null } = await callForData('POST', `/w/${slug}/bulk/ids`, { body })
    found.push(...page.ids.filter((id) => !records.except.has(id)).map(wanted))
    after = page.after
  } while (after !== null)
  return found
}

type Endpoint = 'edit' | 'delete' | 'undo-edit' | 'restore'

/** Sends a chunk of a job, or of its undo. */
export function sendChunk(slug: string, endpoint: Endpoint, body: object): Promise<Result[]> {
  return callForData('POST', `/w/${slug}/bulk/${endpoint}`, { body })
}
