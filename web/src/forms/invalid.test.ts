import { expect, it } from 'vitest'
import { wrongWith } from './invalid.ts'

const control = (type: string, wrong: object) => ({
  ...{ type, minLength: 8, validationMessage: 'In the words of the browser.' },
  validity: { valid: false, valueMissing: false, tooShort: false, typeMismatch: false, ...wrong },
})

it.each([
  ['Your name', control('text', { valueMissing: true }), 'Your name is missing.'],
  ['Password', control('password', { tooShort: true }), 'Password needs at least 8 characters.'],
  ['Email', control('email', { typeMismatch: true }), 'Enter an email address, such as ada@example.com.'],
  ['Due', control('date', {}), 'In the words of the browser.'],
  ['Email', control('email', { valid: true }), undefined],
  ['Email', undefined, undefined],
])('of %s it says what is wrong', (label, wrong, told) => {
  expect(wrongWith(label, wrong)).toBe(told)
})
