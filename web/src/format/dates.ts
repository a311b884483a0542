import { made } from './formats.ts'

/** The parts of a date as each format orders them, with and without the year. */
const orders = {
  'd mmm yyyy': { whole: 'd mmm yyyy', short: 'd mmm' },
  'mmm d, yyyy': { whole: 'mmm d, yyyy', short: 'mmm d' },
  'dd/mm/yyyy': { whole: 'dd/mm/yyyy', short: 'dd/mm' },
  'mm/dd/yyyy': { whole: 'mm/dd/yyyy', short: 'mm/dd' },
  'dd.mm.yyyy': { whole: 'dd.mm.yyyy', short: 'dd.mm.' },
  'yyyy-mm-dd': { whole: 'yyyy-mm-dd', short: 'mm-dd' },
} as const

type DateWriter = (date: Date) => string

const monthName = new Intl.DateTimeFormat(undefined, { month: 'short' })

/** A day in the reader's time zone, with the year. */
export const dayFormat = made(({ dates }): DateWriter => {
  if (dates !== 'auto') return (date) => ordered(date, orders[dates].whole)
  const format = new Intl.DateTimeFormat(undefined, { year: 'numeric', month: 'short', day: 'numeric' })
  return (date) => format.format(date)
})

/** From one day to another. */
export const daysFormat = made(({ dates }): ((first: Date, last: Date) => string) => {
  if (dates !== 'auto')
    return (first, last) => `${ordered(first, orders[dates].whole)} – ${ordered(last, orders[dates].whole)}`
  const format = new Intl.DateTimeFormat(undefined, { year: 'numeric', month: 'short', day: 'numeric' })
  return (first, last) => format.formatRange(first, last)
})

/** A day without the year. */
export const shortDayFormat = made(({ dates }): DateWriter => {
  if (dates !== 'auto') return (date) => ordered(date, orders[dates].short)
  const format = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric' })
  return (date) => format.format(date)
})

/** Hours and minutes. */
export const timeFormat = made(({ hours }): DateWriter => {
  const cycle = hours === 'auto' ? {} : ({ hourCycle: hours === '12' ? 'h12' : 'h23' } as const)
  const hour = hours === '24' ? '2-digit' : 'numeric'
  const format = new Intl.DateTimeFormat(undefined, { hour, minute: '2-digit', ...cycle })
  return (date) => format.format(date)
})

const dayAndTime = new Intl.DateTimeFormat(undefined, {
  year: 'numeric',
  month: 'short',
  day: 'numeric',
  hour: 'numeric',
  minute: '2-digit',
})

/** A day with hours and minutes. */
export const dayAndTimeFormat = made(({ dates, hours }): DateWriter => {
  if (dates === 'auto' && hours === 'auto') return (date) => dayAndTime.format(date)
  return (date) => `${dayFormat()(date)}, ${timeFormat()(date)}`
})

/** The day of the week with which a week begins, as `Date` counts: Sunday is 0. */
export const firstDay = made(({ first_day }): number => {
  if (first_day !== 'auto') return { sunday: 0, monday: 1, saturday: 6 }[first_day]
  return localeFirstDay(new Intl.Locale(navigator.language))
})

/** Not all browsers know `getWeekInfo`, and the types of none do. */
function localeFirstDay(locale: Intl.Locale & { getWeekInfo?(): { firstDay: number } }): number {
  return (locale.getWeekInfo?.().firstDay ?? 1) % 7
}

function ordered(date: Date, order: string): string {
  const two = (number: number) => String(number).padStart(2, '0')
  const [year, month, day] = [date.getFullYear(), date.getMonth() + 1, date.getDate()]
  const parts: Readonly<Record<string, string>> = {
    yyyy: String(year).padStart(4, '0'),
    mmm: monthName.format(date),
    mm: two(month),
    dd: two(day),
    d: String(day),
  }
  return order.replace(/yyyy|mmm|mm|dd|d/g, (part) => parts[part] ?? part)
}
