import { chosenMarks } from './numbers.ts'

type NumberMarks = { decimal: string; group: string; digits: string }

const known = new Map<string | undefined, NumberMarks>()

/**
 * Reads a number as the user types or pastes it, in the form of their locale: `1,234,567.89`, `1.234.567,89 €`. A
 * point that cannot separate thousands is a decimal point in every locale. Undefined if it is no number.
 */
export function parseNumber(text: string, locale?: string): number | undefined {
  const marks = marksOf(locale)
  const bare = withoutCurrency(inLatinDigits(text, marks))
  const plain = /^-?\d/.test(bare) && isGrouped(bare, marks) ? withPoint(bare, marks) : bare
  const number = plain === '' ? Number.NaN : Number(plain)
  return Number.isFinite(number) ? number : undefined
}

/** A number as the user would type it: with their decimal mark and without groups. */
export function typedNumber(value: number, locale?: string): string {
  return String(value).replace('.', marksOf(locale).decimal)
}

/** Without a locale, those of the user. */
function marksOf(locale: string | undefined): NumberMarks {
  return { ...localeMarks(locale), ...(locale === undefined && chosenMarks()) }
}

function localeMarks(locale: string | undefined): NumberMarks {
  const found = known.get(locale)
  if (found) return found
  const parts = new Intl.NumberFormat(locale).formatToParts(-1234567.8)
  const mark = (type: string) => parts.find((part) => part.type === type)?.value ?? ''
  const digits = new Intl.NumberFormat(locale, { useGrouping: false }).format(9876543210)
  const marks = { decimal: mark('decimal'), group: mark('group'), digits: [...digits].reverse().join('') }
  known.set(locale, marks)
  return marks
}

function inLatinDigits(text: string, { digits }: NumberMarks): string {
  const latin = [...text].map((sign) => (digits.includes(sign) ? String(digits.indexOf(sign)) : sign)).join('')
  return latin.replace(/[\u2212\u2013]/g, '-')
}

/** Without spaces, and without a currency before or after the number. */
function withoutCurrency(text: string): string {
  return text
    .replace(/[\s\u200e\u200f\u061c'’]/g, '')
    .replace(/^(-?)[A-Z]{0,3}\p{Sc}|^(-?)[A-Z]{3}(?=-?\d)/u, '$1$2')
    .replace(/(?<=\d)(\p{Sc}|[A-Z]{3})$/u, '')
}

/** Whether the marks are where the locale puts them: the group mark between thousands, the decimal mark once. */
function isGrouped(text: string, { decimal, group }: NumberMarks): boolean {
  const [whole = '', ...fractions] = text.replace('-', '').split(decimal)
  if (fractions.length > 1 || !/^\d*$/.test(fractions[0] ?? '')) return false
  const [first = '', ...rest] = group.trim() === '' ? [whole] : whole.split(group)
  return /^\d+$/.test(first) && (rest.length === 0 || first.length <= 3) && rest.every(isThousands)
}

/** Groups of two digits are usual in India; the last group always has three. */
function isThousands(digits: string, place: number, all: readonly string[]): boolean {
  return /^\d{3}$/.test(digits) || (place < all.length - 1 && /^\d{2}$/.test(digits))
}

function withPoint(text: string, { decimal, group }: NumberMarks): string {
  const whole = group.trim() === '' ? text : text.replaceAll(group, '')
  return whole.replace(decimal, '.')
}
