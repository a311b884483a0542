import { expect, it } from 'vitest'
import { nextMorning } from './morning.ts'

it.each([
  ['UTC', '2026-11-14T07:59:59.999Z', '2026-11-14T08:00:00.000Z'],
  ['UTC', '2026-11-14T08:00:00.000Z', '2026-11-15T08:00:00.000Z'],
  ['Asia/Kathmandu', '2026-11-14T02:15:00.000Z', '2026-11-15T02:15:00.000Z'],
  ['Pacific/Kiritimati', '2026-11-14T12:00:00.000Z', '2026-11-14T18:00:00.000Z'],
  // The clocks go forward on 29 March and back on 25 October: the day has 23 or 25 hours.
  ['Europe/Berlin', '2026-03-28T07:00:00.000Z', '2026-03-29T06:00:00.000Z'],
  ['Europe/Berlin', '2026-03-29T06:00:00.000Z', '2026-03-30T06:00:00.000Z'],
  ['Europe/Berlin', '2026-10-24T06:00:00.000Z', '2026-10-25T07:00:00.000Z'],
  ['Europe/Berlin', '2026-10-25T00:30:00.000Z', '2026-10-25T07:00:00.000Z'],
  ['America/New_York', '2026-03-07T13:00:00.000Z', '2026-03-08T12:00:00.000Z'],
  ['America/New_York', '2026-10-31T12:00:00.000Z', '2026-11-01T13:00:00.000Z'],
])('in %s the morning after %s is at %s', (zone, after, morning) => {
  expect(new Date(nextMorning(Date.parse(after), zone)).toISOString()).toBe(morning)
})
