import type { FlushResult, Progress } from './flush.ts'
import { type Ask, factsOf } from './steps.ts'

/** Progress that is written a little later, together with that of other endpoints of the workspace. */
export type Flushable = {
  workspace_id: string
  /** Takes the progress since the last call; undefined if there is none. */
  progress(): Progress | undefined
  /** Called when the progress was stored, or was not: then it must be kept. */
  flushed(outcome: FlushResult | 'failed'): void
}

export type Flusher = {
  /** Called when there is progress to write. */
  soon(of: Flushable): void
  /** Writes all progress. */
  now(of: Flushable): Promise<void>
}

/** The position and the log are at most a second late. */
const FLUSH_MS = 400
const RETRY_MS = 1000

export function openFlusher(ask: Ask, node: string, onFailure: (error: unknown) => void): Flusher {
  const waiting = new Map<string, { members: Set<Flushable>; timer: NodeJS.Timeout | undefined }>()
  const running = new Map<string, Promise<void>>()

  function group(workspaceId: string) {
    const known = waiting.get(workspaceId) ?? { members: new Set<Flushable>(), timer: undefined }
    waiting.set(workspaceId, known)
    return known
  }

  function schedule(workspaceId: string, ms: number): void {
    const own = group(workspaceId)
    own.timer ??= setTimeout(() => void flush(workspaceId), ms).unref()
  }

  /**
   * One write per workspace at a time, because progress that is taken during another write could be stored before it.
   */
  function flush(workspaceId: string): Promise<void> {
    const before = running.get(workspaceId) ?? Promise.resolve()
    const mine = before.then(() => write(workspaceId))
    running.set(workspaceId, mine)
    return mine.finally(() => running.get(workspaceId) === mine && running.delete(workspaceId))
  }

  async function write(workspaceId: string): Promise<void> {
    const own = waiting.get(workspaceId)
    if (!own) return
    waiting.delete(workspaceId)
    clearTimeout(own.timer)
    const taken = [...own.members].flatMap((member) => {
      const progress = member.progress()
      return progress ? [{ member, progress }] : []
    })
    if (taken.length === 0) return
    try {
      const input = { node, progress: taken.map(({ progress }) => progress) }
      const outcomes = await ask(factsOf(workspaceId), 'flush', input)
      for (const [index, { member }] of taken.entries()) member.flushed(outcomes[index] ?? 'lost')
    } catch (error) {
      onFailure(error)
      for (const { member } of taken) {
        member.flushed('failed')
        group(workspaceId).members.add(member)
      }
      schedule(workspaceId, RETRY_MS)
    }
  }

  return {
    soon(of) {
      group(of.workspace_id).members.add(of)
      schedule(of.workspace_id, FLUSH_MS)
    },
    now(of) {
      group(of.workspace_id).members.add(of)
      return flush(of.workspace_id)
    },
  }
}
