import { REPEAT_MAX } from '../limits.ts'
import { parseMoment } from '../moment.ts'
import * as is from '../shape.ts'

/** How a task repeats: after so many of a unit, counted from its due date or from its completion. */
export const repeatRule = {
  unit: is.word(['day', 'weekday', 'week', 'month']),
  every: is.or(1, is.whole({ from: 1, to: REPEAT_MAX })),
  after_completion: is.or(false, is.flag()),
} as const

export type RepeatRule = is.Shown<typeof repeatRule>

/** How long before the due date a reminder may come, in minutes. */
export const leadTimes = [0, 60, 1440] as const

const lead = is.checked<number>(
  { type: 'integer', enum: leadTimes },
  (raw) => leadTimes.find((one) => one === raw),
  `must be one of: ${leadTimes.join(', ')}.`,
  0,
)

const moment = is.checked<string>(
  { type: 'string', format: 'date-time' },
  (raw) => (typeof raw === 'string' ? parseMoment(raw) : undefined),
  'must be a time such as 2026-11-24T09:00:00Z.',
  '',
)

/** When a member is reminded of a task: before its due date, or at a chosen time. One of both is null. */
export const reminder = { minutes_before: is.orNull(lead), at: is.orNull(moment) } as const

export type Reminder = is.Shown<typeof reminder>

/** What the application knows of a task besides its record. `reminder` is that of the reader. */
export type TaskPlan = {
  repeat: RepeatRule | null
  /** The task that was created when this one was completed. */
  next: { id: string; title: string; due_date: string | null } | null
  reminder: Reminder | null
}
