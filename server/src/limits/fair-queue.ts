/**
 * The owner of a task: the workspace, the user, and the actor in the workspace (a token or user). `slow` is set if the
 * task is known to be slow before it starts; these tasks have their own actor name.
 */
export type Owner = { workspace: string; user: string; actor: string; slow?: true | undefined }

export type FairQueue = {
  /** Runs the work when it is the owner's turn. Undefined when the client disconnects before that. */
  run<T>(owner: Owner, work: () => Promise<T>, isDisconnected?: () => boolean): Promise<T | undefined>
  /** Whether so many tasks of a workspace wait that another one would take too long. */
  isFull(workspace: string): boolean
  /** The number of waiting and running tasks of all workspaces. */
  size(): number
  hasWaiting(): boolean
  /** Starts waiting tasks after `places` has grown. */
  startWaiting(): void
}

export type QueueSettings = {
  /** How many tasks of all workspaces can run at once. */
  places(): number
  /** How many places one workspace can have, and one user in all workspaces. Never all of several places. */
  share: number
  /** How many places all slow actors can have together. Never all of several places. */
  slowPlaces?: number
  /** Whether the result of a task makes its actor slow, independent of its duration. */
  isSlow?(outcome: unknown): boolean
  now?: () => number
}

/** A queue shorter than this is never full, even if its first entry is old. */
const QUEUE_NEVER_FULL = 100
const QUEUE_MAX = 800
const AGE_MAX_MS = 10_000

/** Work that takes longer marks its actor as slow for ten times its duration, from two seconds up to a minute. */
const SLOW_MS = 250
const SLOW_FACTOR = 10
const SLOW_MIN_MS = 2000
const SLOW_MAX_MS = 60_000
const SLOW_KEPT = 10_000

/** The running tasks of one workspace or user; `slow` counts those of slow actors. */
type Load = { running: number; slow: number }

/** The tasks of one workspace. The first actor of `lines` is the next. */
type Workspace = Load & {
  waiting: number
  lines: Map<string, { owner: Owner; waiting: { since: number; begin(isSlow: boolean): void }[] }>
}

const NOTHING: Readonly<Load> = { running: 0, slow: 0 }

type Turn = { owner: Owner; workspace: Workspace; load: number }

/**
 * Divides places between workspaces and users: each gets at most its share, and waiting workspaces take turns. Within a
 * workspace, tokens and users take turns. Actors with slow tasks get a quarter of the share, so that short reads of the
 * same workspace find a place and the processor is less busy. Together they never get all places.
 */
export function fairQueue(settings: QueueSettings): FairQueue {
  const { places, share, slowPlaces = Number.POSITIVE_INFINITY, now = () => performance.now() } = settings
  /** In the order of their turns. */
  const workspaces = new Map<string, Workspace>()
  /** Users with running work. */
  const users = new Map<string, Load>()
  const slowShare = Math.ceil(share / 4)
  const slowUntil = new Map<string, number>()
  const all: Load = { running: 0, slow: 0 }
  let waiting = 0

  function isSlow({ actor, slow }: Owner): boolean {
    return slow ?? (slowUntil.get(actor) ?? 0) > now()
  }

  /** Whether both the workspace and the user have places left in their share. */
  function mayBegin(owner: Owner, ...owners: readonly Load[]): boolean {
    const butLast = Math.max(1, places() - 1)
    if (owners.some(({ running }) => running >= Math.min(share, butLast))) return false
    return !isSlow(owner) || (all.slow < Math.min(slowPlaces, butLast) && owners.every(({ slow }) => slow < slowShare))
  }

  function startWaiting(): void {
    while (waiting > 0 && all.running < places()) {
      if (!beginNext()) return
    }
  }

  /** The workspace that has waited longest, among those with the least running tasks of workspace and user. */
  function nextTurn(): Turn | undefined {
    let next: Turn | undefined
    for (const workspace of workspaces.values()) {
      for (const { owner } of workspace.lines.values()) {
        const ofUser = users.get(owner.user) ?? NOTHING
        if (!mayBegin(owner, workspace, ofUser)) continue
        const load = Math.max(workspace.running, ofUser.running)
        if (!next || load < next.load) next = { owner, workspace, load }
        break
      }
      if (next?.load === 0) break
    }
    return next
  }

  function beginNext(): boolean {
    const turn = nextTurn()
    const line = turn?.workspace.lines.get(turn.owner.actor)
    const next = line?.waiting.shift()
    if (!turn || !line || !next) return false
    const { owner, workspace } = turn
    // Move to the end of the order of turns.
    workspaces.delete(owner.workspace)
    workspaces.set(owner.workspace, workspace)
    workspace.lines.delete(owner.actor)
    if (line.waiting.length > 0) workspace.lines.set(owner.actor, line)
    waiting--
    workspace.waiting--
    const slow = isSlow(owner)
    count(owner, 1, slow)
    next.begin(slow)
    return true
  }

  /** Adds a task to the counters of its workspace and user, or removes it. */
  function count({ workspace, user }: Owner, change: 1 | -1, slow: boolean): void {
    const ofUser = users.getOrInsertComputed(user, () => ({ ...NOTHING }))
    for (const each of [all, workspaceOf(workspace), ofUser]) {
      each.running += change
      if (slow) each.slow += change
    }
    if (ofUser.running === 0) users.delete(user)
  }

  function workspaceOf(name: string): Workspace {
    return workspaces.getOrInsertComputed(name, () => ({ ...NOTHING, waiting: 0, lines: new Map() }))
  }

  function ended(owner: Owner, wasSlow: boolean): void {
    count(owner, -1, wasSlow)
    const workspace = workspaceOf(owner.workspace)
    if (workspace.running === 0 && workspace.waiting === 0) workspaces.delete(owner.workspace)
    startWaiting()
  }

  function markSlow({ actor }: Owner, took: number): void {
    if (slowUntil.size > SLOW_KEPT) slowUntil.clear()
    slowUntil.set(actor, now() + Math.max(SLOW_MIN_MS, Math.min(took * SLOW_FACTOR, SLOW_MAX_MS)))
  }

  return {
    async run(owner, work, isDisconnected) {
      const workspace = workspaceOf(owner.workspace)
      const line = workspace.lines.getOrInsertComputed(owner.actor, () => ({ owner, waiting: [] }))
      const turn = Promise.withResolvers<boolean>()
      line.waiting.push({ since: now(), begin: turn.resolve })
      waiting++
      workspace.waiting++
      startWaiting()
      const wasSlow = await turn.promise
      const began = now()
      let isLarge = false
      try {
        if (isDisconnected?.()) return undefined
        const outcome = await work()
        isLarge = settings.isSlow?.(outcome) ?? false
        return outcome
      } finally {
        const took = now() - began
        if (took > SLOW_MS || isLarge) markSlow(owner, took)
        ended(owner, wasSlow)
      }
    },
    isFull(name) {
      const workspace = workspaces.get(name)
      if (!workspace || workspace.waiting < QUEUE_NEVER_FULL) return false
      const oldest = Math.min(...[...workspace.lines.values()].map((line) => line.waiting[0]?.since ?? now()))
      return workspace.waiting >= QUEUE_MAX || now() - oldest > AGE_MAX_MS
    },
    size: () => all.running + waiting,
    hasWaiting: () => waiting > 0,
    startWaiting,
  }
}
