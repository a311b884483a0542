/** The hour of the day at which digests are sent. */
const MORNING = Temporal.PlainTime.from('08:00')

/** The first moment after another one at which it is morning in a time zone. */
export function nextMorning(after: number, timeZone: string): number {
  const day = Temporal.Instant.fromEpochMilliseconds(after).toZonedDateTimeISO(timeZone).toPlainDate()
  const morningOf = (date: Temporal.PlainDate) => {
    return date.toZonedDateTime({ timeZone, plainTime: MORNING }).epochMilliseconds
  }
  const today = morningOf(day)
  return today > after ? today : morningOf(day.add({ days: 1 }))
}
