import type { Report } from './issue.ts'
import { suggestion } from './nearest.ts'

const LENGTH_MAX = 100

/** The IANA name of a time zone; UTC if it is none, which is reported. */
export function parseTimeZone(raw: unknown, report: Report): string {
  if (typeof raw === 'string' && isTimeZone(raw)) return raw
  const near = typeof raw === 'string' ? suggestion(raw, Intl.supportedValuesOf('timeZone')) : ''
  report('time_zone', `The time_zone must be an IANA name such as Europe/Berlin or UTC.${near}`)
  return 'UTC'
}

/** Offsets such as +01:00 are no names. */
function isTimeZone(name: string): boolean {
  if (name.length > LENGTH_MAX || !/^[a-z]/i.test(name)) return false
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }) !== undefined
  } catch {
    return false
  }
}
