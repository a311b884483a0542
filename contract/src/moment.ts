import { boundsOf } from './bounds.ts'
import type { Bounds, Test } from './filter.ts'
import type { Report } from './issue.ts'
import type { Operator } from './operators.ts'

const DAY = /^(\d{4})-(\d{2})-(\d{2})$/
const TIME = /^(\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d+))?)?(?:[zZ]|([+-])(\d{2})(?::?(\d{2}))?)?$/
const TEXT_MAX = 255
const EARLIEST = Date.parse('0001-01-01T00:00:00.000Z')
const LATEST = Date.parse('9999-12-31T23:59:59.999Z')

export const MOMENT_FORMS = 'a date such as 2026-11-14, or an ISO 8601 date-time such as 2026-11-14T09:30:00Z'

/** A filter's comparison with a time. A date without a time means that whole day in UTC. */
export function momentTest(
  operator: Operator,
  raw: unknown,
  { path, report }: { path: string; report: Report },
): Test | undefined {
  if (typeof raw === 'string') {
    const day = parseDay(raw)
    if (day !== undefined) return { test: 'range', bounds: dayBounds(operator, day) }
    const moment = parseMoment(raw)
    if (moment !== undefined) return { test: 'range', bounds: boundsOf(operator, moment) }
  }
  report(path, `The ${operator} operand must be ${MOMENT_FORMS}.`)
  return undefined
}

/** A real calendar day as YYYY-MM-DD, years 0001 to 9999. */
export function parseDay(text: string): string | undefined {
  if (text.length !== 10) return undefined
  const parts = DAY.exec(text)
  if (parts === null) return undefined
  const year = Number(parts[1])
  const month = Number(parts[2])
  const day = Number(parts[3])
  if (year < 1 || month < 1 || month > 12 || day < 1 || day > daysIn(year, month)) return undefined
  return text
}

/** Reads an ISO 8601 date-time (UTC without an offset), or a date (its midnight). Returns UTC with milliseconds. */
export function parseMoment(text: string): string | undefined {
  if (text.length > TEXT_MAX) return undefined
  const day = parseDay(text.slice(0, 10))
  if (day === undefined) return undefined
  if (text.length === 10) return startOf(day)
  if (text[10] !== 'T' && text[10] !== 't') return undefined
  const parts = TIME.exec(text.slice(11))
  if (parts === null) return undefined
  const [, hour = '', minute = '', second = '00', fraction = '', sign, offsetHour = '0', offsetMinute = '0'] = parts
  if (hour > '23' || minute > '59' || second > '59') return undefined
  if (Number(offsetHour) > 23 || Number(offsetMinute) > 59) return undefined
  const local = Date.parse(`${day}T${hour}:${minute}:${second}.${fraction.slice(0, 3).padEnd(3, '0')}Z`)
  const offset = (Number(offsetHour) * 60 + Number(offsetMinute)) * 60_000
  const at = sign === '-' ? local + offset : local - offset
  return at < EARLIEST || at > LATEST ? undefined : new Date(at).toISOString()
}

function dayBounds(operator: Operator, day: string): Bounds<string> {
  switch (operator) {
    case '$eq':
      return { from: startOf(day), to: endOf(day) }
    case '$gt':
    case '$lte':
      return boundsOf(operator, endOf(day))
    default:
      return boundsOf(operator, startOf(day))
  }
}

function startOf(day: string): string {
  return `${day}T00:00:00.000Z`
}

function endOf(day: string): string {
  return `${day}T23:59:59.999Z`
}

function daysIn(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31
}
