import { refuse } from '@kith/contract/refusal'
import { perResource, resourceNames } from '@kith/contract/resource'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { RecordVersions } from '../../records/versions.ts'
import type { Change, Changes } from '../../runtime/live-updates.ts'
import type { LoadShedder } from '../../runtime/observability.ts'
import type { ScopeFacts } from '../../scope/scope.ts'
import { endUnlessAdmitted } from '../v1/hold.ts'
import { openEventStream } from '../wire/event-stream.ts'

const PING_MS = 25_000
const LOOK_MS = 2000
const UNREAD_MAX_BYTES = 64 * 1024
const LISTENERS_MAX = 5000
const LISTENERS_PER_USER_MAX = 20

/** How a stream is kept open. */
type EventParts = {
  changes: Changes
  shedder: LoadShedder
  /** Checks again, from time to time, that the user may listen. */
  admitAgain(request: FastifyRequest): Promise<ScopeFacts>
  /** The sessions of the members of a workspace: asked every few seconds, once for all that listen to it. */
  sessionsIn(workspaceId: string): Promise<ReadonlySet<string>>
}

/** Who listens: a session, in a workspace. */
type Listener = { facts: ScopeFacts; session_id: string }

type Stream = { workspace_id: string; user_id: string; session_id: string; end(): void }

/** The streams that are open in this process. */
type Streams = {
  open(request: FastifyRequest, reply: FastifyReply, listener: Listener): void
  close(): void
}

/** Server-sent events that tell which resources have changed. */
export function openStreams({ changes, shedder, admitAgain, sessionsIn }: EventParts): Streams {
  const open = new Set<Stream>()
  const looking = setInterval(() => void endOrphans(open, sessionsIn), LOOK_MS).unref()
  return {
    open(request, reply, { facts, session_id }) {
      const { user_id } = facts.actor
      const own = [...open].filter((stream) => stream.user_id === user_id)
      if (own.length >= LISTENERS_PER_USER_MAX || open.size >= LISTENERS_MAX) {
        const message = 'Too many windows are open. Close some of them to get live updates.'
        refuse({ kind: 'rate_limited', message, retry_after: 30 })
      }
      const { send, end, whenClosed } = openEventStream(reply, { shedder, unread_max: UNREAD_MAX_BYTES })
      const stop = changes.listen(facts, versionsIn(lastEventOf(request)), (change) => send(eventsOf(change)))
      const pinging = setInterval(() => {
        send(': ping\n\n')
        void endUnlessAdmitted({ admitAgain: () => admitAgain(request) }, end)
      }, PING_MS).unref()
      const stream = { workspace_id: facts.workspace.id, user_id, session_id, end }
      open.add(stream)
      whenClosed(() => {
        stop()
        clearInterval(pinging)
        open.delete(stream)
      })
    },
    close() {
      clearInterval(looking)
      for (const { end } of open) end()
    },
  }
}

/** Ends the streams whose session has ended or whose user has left the workspace, on this node or another one. */
async function endOrphans(open: ReadonlySet<Stream>, sessionsIn: EventParts['sessionsIn']): Promise<void> {
  for (const [workspaceId, streams] of Map.groupBy(open, (stream) => stream.workspace_id)) {
    // A database that is away for a moment ends no stream.
    const sessions = await sessionsIn(workspaceId).catch(() => undefined)
    for (const { session_id, end } of streams) if (sessions && !sessions.has(session_id)) end()
  }
}

const versionNames = [...resourceNames, 'users', 'fields'] as const

/** The versions are the event id, so that a client that reconnects gets the changes in between. */
function eventsOf({ versions, changed }: Change): string {
  const id = `id: ${versionNames.map((name) => versions[name]).join('.')}\n`
  const resources = changed.filter((name) => name !== 'fields')
  const events = []
  if (resources.length > 0) events.push(`event: change\ndata: ${JSON.stringify({ resources })}\n`)
  if (changed.includes('fields')) events.push('event: fields\ndata: {}\n')
  if (events.length === 0) events.push('event: ready\ndata: {}\n')
  return events.map((event) => `${id}${event}\n`).join('')
}

/** The last event that a client has seen: a browser sends the header when it connects again by itself. */
function lastEventOf({ headers, url }: FastifyRequest): unknown {
  return headers['last-event-id'] ?? new URL(url, 'http://localhost').searchParams.get('last_event_id')
}

function versionsIn(id: unknown): RecordVersions | undefined {
  if (typeof id !== 'string' || !/^\d{1,15}(\.\d{1,15}){0,50}$/.test(id)) return undefined
  const numbers = id.split('.').map(Number)
  if (numbers.length !== versionNames.length) return undefined
  const version = (name: (typeof versionNames)[number]) => numbers[versionNames.indexOf(name)] ?? 0
  return { ...perResource(version), users: version('users'), fields: version('fields') }
}
