import { expect, it } from 'vitest'
import { markedText, onlyIn } from './text-difference.ts'

/** The text with what only this version has in brackets. */
const marked = (text: string, other: string) =>
  markedText(text, other)
    .map((part) => (part.only ? `[${part.text}]` : part.text))
    .join('')

it.each([
  ['We meet on Monday', 'We meet on Friday', 'We meet on[ Monday]'],
  ['We meet', 'We meet on Friday', 'We meet'],
  ['Call Ada and Grace', 'Call Grace', 'Call[ Ada and] Grace'],
  ['Mine', 'Theirs', '[Mine]'],
  ['', 'Theirs', ''],
  ['Mine\nSame', 'Theirs\nSame', '[Mine]\nSame'],
])('of %j next to %j, only what the other one lacks is marked', (text, other, expected) => {
  expect(marked(text, other)).toBe(expected)
})

it('very long texts are compared from both ends', () => {
  const words = Array.from({ length: 5000 }, (_, place) => `w${place}`).join(' ')
  const other = words.replaceAll(' w', ' v')
  expect(marked(`Dear ${words} bye`, `Dear ${other} bye`)).toMatch(/^Dear w0\[.* w4999\] bye$/)
})

it('of lists, the items that the other one lacks are named', () => {
  const mine = { custom_fields: { tags: ['a', 'b'] } }
  expect(onlyIn(mine, { custom_fields: { tags: ['b', 'c'] } })).toEqual(['a'])
  expect(onlyIn({ custom_fields: { kinds: [{ id: '1', label: 'Mill' }] } }, mine)).toEqual(['Mill'])
  expect(onlyIn({ custom_fields: { amount: 5 } }, mine)).toEqual([])
})
