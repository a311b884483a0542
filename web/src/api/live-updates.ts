import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { refreshRecords } from './records.ts'

/** Changes that come in a burst are one refresh. */
const GATHER_MS = 400

/** Stands for the resources and fields themselves. No resource has this code. */
const DEFINITIONS = 'fields'

/**
 * Reloads the data on the screen when the service reports a change by others. All tabs of a browser share six
 * connections to a host, so a tab out of view closes its own. In view again, it learns the changes since then.
 */
export function useLiveUpdates(slug: string): void {
  const queries = useQueryClient()
  useEffect(() => {
    let events: EventSource | undefined
    /** The id of the last event; the service sends one at once. */
    let last = ''
    const changed = new Set<string>()
    let timer: number | undefined
    const refresh = () => {
      timer = undefined
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
    const follow = () => {
      if (document.visibilityState === 'visible' || last === '') events ??= open()
      else {
        events?.close()
        events = undefined
      }
    }
    follow()
    document.addEventListener('visibilitychange', follow)
    return () => {
      document.removeEventListener('visibilitychange', follow)
      events?.close()
      window.clearTimeout(timer)
    }
  }, [slug, queries])
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
