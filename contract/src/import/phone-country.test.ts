import { expect, it } from 'vitest'
import { phoneCountries, withCountryCode } from './phone-country.ts'

it.each([
  ['(415) 555-0100', 'US', '+14155550100'],
  ['030 123456', 'DE', '+4930123456'],
  ['020 7946 0011', 'GB', '+442079460011'],
  ['+49 30 123456', 'US', '+49 30 123456'],
  ['0049 30 123456', 'US', '0049 30 123456'],
  ['tel:+1 415 555 0100', 'DE', 'tel:+1 415 555 0100'],
  ['none', 'US', 'none'],
  ['12', 'US', '12'],
  ['(415) 555-0100', 'XX', '(415) 555-0100'],
])('%j from %s is %j', (text, country, number) => {
  expect(withCountryCode(text, country)).toBe(number)
})

it('knows the calling codes of the countries', () => {
  expect(phoneCountries()).toContainEqual({ country: 'DE', code: '+49' })
})
