import { expect, it } from 'vitest'
import { combineTexts } from './combine-texts.ts'

it.each([
  ['a\nb\nc', 'a\nx\nc', 'a\nb\nx\nc'],
  ['a\nb', 'a\nb\nc', 'a\nb\nc'],
  ['Mine', 'Theirs', 'Mine\nTheirs'],
  ['a\na', 'a', 'a\na'],
  ['same', 'same', 'same'],
  ['', 'Theirs', '\nTheirs'],
])('combines %j and %j to %j, with every line of both', (mine, theirs, both) => {
  expect(combineTexts(mine, theirs)).toBe(both)
})
