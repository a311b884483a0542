/** The owner of a task: the workspace, and in it the token or the user. */
export type Owner = { workspace: string; actor: string }

export type FairQueue = {
  /** Runs the work when it is the owner's turn. Undefined when the client disconnects before that. */
  run<T>(owner: Owner, work: () => Promise<T>, isDisconnected?: () => boolean): Promise<T | undefined>
  /** Whether a workspace has so much waiting that more of it would take too long. */
  isFull(workspace: string): boolean
  /** How much waits or runs, of all workspaces. */
  size(): number
  /** Starts waiting work after `places` has grown. */
  startWaiting(): void
}

export type QueueSettings = {
  /** How many can run at once, of all workspaces. */
  places(): number
  /** How many of these places one workspace can have. */
  share: number
  now?: () => number
}

/** A queue shorter than this is never full, however old its first entry is. */
const QUEUE_NEVER_FULL = 100
const QUEUE_MAX = 800
const AGE_MAX_MS = 10_000

/** Work that takes longer marks its actor as slow for ten times its duration, up to a minute. */
const SLOW_MS = 250
const SLOW_FACTOR = 10
const SLOW_MAX_MS = 60_000
const SLOW_KEPT = 10_000

type Waiting = { since: number; begin(isSlow: boolean): void }

/** The work of one workspace; `slow` counts the running work of slow actors. The first actor of `lines` is the next. */
type Workspace = { running: number; slow: number; waiting: number; lines: Map<string, Waiting[]> }

/**
 * Divides places between workspaces: each gets at most its share, and waiting ones take turns. Within a workspace,
 * tokens and users take turns. Actors with slow work get a quarter of the share, so that short reads of the same
 * workspace find a place and the processor is less busy.
 */
export function fairQueue({ places, share, now = () => performance.now() }: QueueSettings): FairQueue {
  /** In the order of their turns. */
  const workspaces = new Map<string, Workspace>()
  const slowShare = Math.ceil(share / 4)
  const slowUntil = new Map<string, number>()
  let running = 0
  let waiting = 0

  function workspaceOf(name: string): Workspace {
    const known = workspaces.get(name)
    if (known) return known
    const workspace = { running: 0, slow: 0, waiting: 0, lines: new Map() }
    workspaces.set(name, workspace)
    return workspace
  }

  function isSlow(actor: string): boolean {
    return (slowUntil.get(actor) ?? 0) > now()
  }

  function mayBegin(workspace: Workspace, actor: string): boolean {
    if (workspace.running >= share) return false
    return workspace.slow < slowShare || !isSlow(actor)
  }

  function startWaiting(): void {
    while (waiting > 0 && running < places()) {
      if (!beginNext()) return
    }
  }

  /** Of the workspaces with the least running work, the one that has waited longest. */
  function nextTurn(): { name: string; workspace: Workspace; actor: string } | undefined {
    let next: { name: string; workspace: Workspace; actor: string } | undefined
    for (const [name, workspace] of workspaces) {
      if (workspace.waiting === 0 || (next && next.workspace.running <= workspace.running)) continue
      const actor = workspace.lines.keys().find((one) => mayBegin(workspace, one))
      if (actor !== undefined) next = { name, workspace, actor }
    }
    return next
  }

  function beginNext(): boolean {
    const turn = nextTurn()
    const line = turn?.workspace.lines.get(turn.actor)
    const next = line?.shift()
    if (!turn || !line || !next) return false
    const { name, workspace, actor } = turn
    // Move to the end of the order of turns.
    workspaces.delete(name)
    workspaces.set(name, workspace)
    workspace.lines.delete(actor)
    if (line.length > 0) workspace.lines.set(actor, line)
    waiting--
    workspace.waiting--
    running++
    workspace.running++
    const slow = isSlow(actor)
    if (slow) workspace.slow++
    next.begin(slow)
    return true
  }

  function ended(owner: Owner, began: number, wasSlow: boolean): void {
    const workspace = workspaceOf(owner.workspace)
    running--
    workspace.running--
    if (wasSlow) workspace.slow--
    if (workspace.running === 0 && workspace.waiting === 0) workspaces.delete(owner.workspace)
    const took = now() - began
    if (took > SLOW_MS) {
      if (slowUntil.size > SLOW_KEPT) slowUntil.clear()
      slowUntil.set(owner.actor, now() + Math.min(took * SLOW_FACTOR, SLOW_MAX_MS))
    }
    startWaiting()
  }

  return {
    async run(owner, work, isDisconnected) {
      const workspace = workspaceOf(owner.workspace)
      const line = workspace.lines.get(owner.actor) ?? []
      workspace.lines.set(owner.actor, line)
      const turn = Promise.withResolvers<boolean>()
      line.push({ since: now(), begin: turn.resolve })
      waiting++
      workspace.waiting++
      startWaiting()
      const wasSlow = await turn.promise
      const began = now()
      try {
        return isDisconnected?.() ? undefined : await work()
      } finally {
        ended(owner, began, wasSlow)
      }
    },
    isFull(name) {
      const workspace = workspaces.get(name)
      if (!workspace || workspace.waiting < QUEUE_NEVER_FULL) return false
      const oldest = Math.min(...[...workspace.lines.values()].map(([first]) => first?.since ?? now()))
      return workspace.waiting >= QUEUE_MAX || now() - oldest > AGE_MAX_MS
    },
    size: () => running + waiting,
    startWaiting,
  }
}
