import { expect, it } from 'vitest'
import { parseNumber, typedNumber } from './typed-number.ts'

it.each([
  ['en-GB', '1,234,567.89', 1234567.89],
  ['en-GB', 'US$1,234.50', 1234.5],
  ['en-GB', '-£0.50', -0.5],
  ['en-GB', '1234.5', 1234.5],
  ['en-GB', ' 12 ', 12],
  ['en-GB', '1e3', 1000],
  ['en-GB', '.5', 0.5],
  ['en-IN', '12,34,567.89', 1234567.89],
  ['de-DE', '1.234.567,89', 1234567.89],
  ['de-DE', '1.234,50 €', 1234.5],
  ['de-DE', '1.234', 1234],
  ['de-DE', '1234.5', 1234.5],
  ['de-CH', "CHF 1'234.50", 1234.5],
  ['fr-FR', '1\u202f234\u202f567,89\u00a0€', 1234567.89],
  ['sv-SE', '\u2212 1 234,5', -1234.5],
  ['ar-EG', '١٬٢٣٤٫٥', 1234.5],
])('in %s, %s is %d', (locale, text, value) => {
  expect(parseNumber(text, locale)).toBe(value)
})

it.each([
  ['en-GB', ''],
  ['en-GB', 'many'],
  ['en-GB', '1,23'],
  ['en-GB', '1.2.3'],
  ['en-GB', '12,345,67'],
  ['en-GB', 'Infinity'],
  ['de-DE', '1,2,3'],
])('in %s, “%s” is no number', (locale, text) => {
  expect(parseNumber(text, locale)).toBeUndefined()
})

it.each([
  ['en-GB', '1234567.89'],
  ['de-DE', '1234567,89'],
  ['fr-FR', '1234567,89'],
])('in %s a number is edited as %s and read back', (locale, text) => {
  expect(typedNumber(1234567.89, locale)).toBe(text)
  expect(parseNumber(text, locale)).toBe(1234567.89)
})
