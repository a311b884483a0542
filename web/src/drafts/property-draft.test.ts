import { expect, it } from 'vitest'
import { waitBeforeSave } from './property-draft.ts'

it('a text saves itself soon, and later at most every 12 seconds', () => {
  expect(waitBeforeSave(100_000, undefined)).toBe(1500)
  expect(waitBeforeSave(100_000, 99_000)).toBe(11_000)
  expect(waitBeforeSave(100_000, 50_000)).toBe(1500)
})
