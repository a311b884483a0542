import { dayAt, OVERDUE } from '@kith/contract/relative/periods'
import type { Reader } from '@kith/contract/relative/resolve-filter'
import { useSuspenseQuery } from '@tanstack/react-query'
import { useMemo, useSyncExternalStore } from 'react'
import { sessionQuery } from '../../../api/session.ts'
import { firstDay } from '../../../format/dates.ts'
import { localTimeZone } from '../../../format/time-zone.ts'
import type { FilterObject } from '../list-state.ts'

const MINUTE_MS = 60_000
const SUNDAY = 7
const LOOK_AGAIN_MS = 5_000

/** The reader of a filter. It changes at midnight, or each minute where the filter asks for what is overdue. */
export function useReader(filter: FilterObject | undefined): Reader {
  const me = useSuspenseQuery(sessionQuery).data.user.id
  const byMinute = JSON.stringify(filter ?? null).includes(`"$during":"${OVERDUE}"`)
  const turn = useSyncExternalStore(listen, byMinute ? currentMinute : currentDay)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the time is read again at each turn
  return useMemo(
    () => ({ me, now: new Date(minuteMs()), timeZone: localTimeZone(), weekStart: firstDay() || SUNDAY }),
    [me, turn],
  )
}

/** Timers stop while a computer sleeps, so the clock is looked at often instead of waited for. */
function listen(listener: () => void): () => void {
  const timer = setInterval(listener, LOOK_AGAIN_MS)
  return () => clearInterval(timer)
}

function currentMinute(): string {
  return `${minuteMs()} ${localTimeZone()}`
}

function currentDay(): string {
  const timeZone = localTimeZone()
  return `${dayAt(new Date(), timeZone)} ${timeZone}`
}

/** Whole minutes, so that one list is one request for a while. */
function minuteMs(): number {
  return Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS
}
