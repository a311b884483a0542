import type { Report } from './issue.ts'
import { WAIT_MAX } from './limits.ts'
import { isUnsent } from './raw-input.ts'

/** For how many seconds a response may be held. */
export function parseWait(raw: unknown, report: Report): number {
  if (isUnsent(raw)) return 0
  const seconds = typeof raw === 'string' && /^[0-9]{1,2}$/.test(raw) ? Number(raw) : raw
  if (typeof seconds === 'number' && Number.isInteger(seconds) && seconds >= 0 && seconds <= WAIT_MAX) return seconds
  report('wait', `The wait must be a whole number of seconds from 0 to ${WAIT_MAX}.`)
  return 0
}
