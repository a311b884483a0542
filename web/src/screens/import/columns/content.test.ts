import { expect, it } from 'vitest'
import { contentOf } from './content.ts'

const facts = { filled: 0, values: null }

it.each([
  [['ada@a.example', 'b@b.example; c@c.example', ''], { type: 'email' }],
  [['https://a.example/x', 'http://b.example'], { type: 'link' }],
  [['a.example', 'www.b.example'], { type: 'domain' }],
  [['+49 30 123456', '+1 415 555 0100'], { type: 'phone' }],
  [['2026-12-24', '2026/1/2'], { type: 'date', dates: 'iso' }],
  [['24/12/2026', '1/2/2026'], { type: 'date', dates: 'dmy' }],
  [['12/24/2026', '1/2/2026'], { type: 'date', dates: 'mdy' }],
  [['1.2.2026', '3.4.2026'], { type: 'date', dates: 'unclear' }],
  [['2026-12-24 15:30', '2026-12-24T15:30:00Z'], { type: 'date-time', dates: 'iso' }],
  [['1,234.50', '12'], { type: 'number', decimal: '.' }],
  [['1.234,50', '12'], { type: 'number', decimal: ',' }],
  [['yes', 'No', 'yes'], { type: 'toggle' }],
  [['Ada', 'Byron'], { type: 'text' }],
  [['x'.repeat(200)], { type: 'textarea' }],
  [['', ' '], { type: undefined }],
])('%j is %j', (cells, content) => {
  expect(contentOf(cells, facts)).toEqual(content)
})

it('a few short values that repeat are options', () => {
  const cells = ['Gold', 'Silver', 'Gold', 'Gold', 'Silver', 'Gold']
  expect(contentOf(cells, { filled: 6, values: ['Gold', 'Silver'] })).toEqual({ type: 'select' })
  expect(contentOf(cells, { filled: 3, values: ['Gold', 'Silver'] })).toEqual({ type: 'text' })
})
