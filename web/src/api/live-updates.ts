import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { refreshRecords } from './records.ts'

/** Changes that come in a burst are one refresh. */
const GATHER_MS = 400

/** The name of what the inbox of the user is in events. No resource has this code. */
const INBOX = 'notifications'

/** A tab out of view keeps its live updates for so long: then it is not in use any more. */
const HIDDEN_MS = 3_600_000

/** Stands for the resources and fields themselves. No resource has this code. */
const DEFINITIONS = 'fields'

/**
 * Reloads the data on the screen when the service reports a change by others. All tabs of a browser share six
 * connections to a host, so of the tabs out of view only one keeps its own, for the number in its title. In view again,
 * they learn the changes since then.
 */
export function useLiveUpdates(slug: string): void {
  const queries = useQueryClient()
  useEffect(() => {
    let events: EventSource | undefined
    /** The id of the last event; the service sends one at once. */
    let last = ''
    const changed = new Set<string>()
    let timer: number | undefined
    /** Lets another tab be the one that keeps its connection out of view. */
    let release: (() => void) | undefined
    const refresh = () => {
      timer = undefined
      if (isHidden()) {
        if (changed.delete(INBOX)) void refreshRecords(queries, slug, INBOX)
        return
      }
      // Everything on the screen may name a resource or a field that was changed, archived or deleted.
      if (changed.has(DEFINITIONS)) void queries.invalidateQueries({ queryKey: [slug] })
      else {
        for (const name of changed) {
          void refreshRecords(queries, slug, name)
          // Lists of other resources show values of these records.
          queries.invalidateQueries({
            queryKey: [slug, 'records'],
            predicate: (query) => includes(query.queryKey, name),
          })
        }
        queries.invalidateQueries({ queryKey: [slug, 'summaries'] })
      }
      changed.clear()
    }
    const note = (names: readonly string[]) => {
      for (const name of names) changed.add(name)
      timer ??= window.setTimeout(refresh, GATHER_MS)
    }
    const open = () => {
      const source = new EventSource(`/api/app/w/${slug}/events?${new URLSearchParams({ last_event_id: last })}`)
      source.addEventListener('ready', ({ lastEventId }) => {
        last = lastEventId
        follow()
      })
      source.addEventListener('change', ({ data, lastEventId }) => {
        last = lastEventId
        note(resourcesIn(data))
      })
      source.addEventListener('fields', ({ lastEventId }) => {
        last = lastEventId
        note([DEFINITIONS])
      })
      return source
    }
    const close = () => {
      events?.close()
      events = undefined
      release?.()
    }
    const follow = () => {
      if (isHidden() && last !== '') return void keepOneHidden()
      release?.()
      events ??= open()
      if (changed.size > 0) note([])
    }
    let keeping = false
    const keepOneHidden = async () => {
      if (keeping) return
      keeping = true
      const kept = await navigator.locks?.request(HIDDEN, { ifAvailable: true }, (lock) => {
        return lock && events && isHidden() ? new Promise<true>((resolve) => wait(() => resolve(true))) : false
      })
      keeping = false
      if (!isHidden()) return
      if (!kept) close()
      // It was in view for a moment.
      else if (events) follow()
    }
    const wait = (resolve: () => void) => {
      const over = window.setTimeout(close, HIDDEN_MS)
      release = () => {
        window.clearTimeout(over)
        release = undefined
        resolve()
      }
    }
    follow()
    document.addEventListener('visibilitychange', follow)
    return () => {
      document.removeEventListener('visibilitychange', follow)
      close()
      window.clearTimeout(timer)
    }
  }, [slug, queries])
}

/** The lock of the tab out of view that keeps its connection. */
const HIDDEN = 'kith.events'

function isHidden(): boolean {
  return document.visibilityState === 'hidden'
}

function resourcesIn(text: unknown): string[] {
  const event: unknown = typeof text === 'string' ? JSON.parse(text) : undefined
  if (typeof event !== 'object' || event === null || !('resources' in event)) return []
  return Array.isArray(event.resources) ? event.resources.filter((name) => typeof name === 'string') : []
}

/** Whether records of this type came along with the answer, which its `fields` say. */
function includes(queryKey: readonly unknown[], type: string): boolean {
  return queryKey.some((part) => {
    const fields = typeof part === 'object' && part !== null && 'fields' in part ? part.fields : undefined
    return typeof fields === 'object' && fields !== null && type in fields
  })
}
