import { expect, it } from 'vitest'
import { linkAddress } from './link-address.ts'

it.each([
  ['https://example.com/a?b=c', 'https://example.com/a?b=c'],
  [' http://localhost:3000/x ', 'http://localhost:3000/x'],
  ['example.com', 'https://example.com'],
  ['example.com:8080/path', 'https://example.com:8080/path'],
  ['ada@example.com', 'mailto:ada@example.com'],
  ['mailto:ada@example.com', 'mailto:ada@example.com'],
])('%s leads to %s', (typed, address) => {
  expect(linkAddress(typed)).toBe(address)
})

it.each(['', 'two words', 'word', 'javascript:alert(1)', 'data:text/html,x', 'javascript:a.b', 'file:///etc/passwd'])(
  '%s is no address of a link',
  (typed) => {
    expect(linkAddress(typed)).toBeUndefined()
  },
)
