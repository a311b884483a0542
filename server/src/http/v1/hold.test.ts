import { expect, it } from 'vitest'
import { withCursor } from './hold.ts'

it.each([
  ['', 'cursor=c%3D'],
  ['cursor=now', 'cursor=c%3D'],
  ['limit=5&cursor=now&filter[name][$contains]=a%26b', 'limit=5&filter[name][$contains]=a%26b&cursor=c%3D'],
  ['since=2026-01-01&wait=3', 'wait=3&cursor=c%3D'],
  ['%63ursor=now&kind=updated', 'kind=updated&cursor=c%3D'],
])('replaces where %j begins', (query, expected) => {
  expect(withCursor(query, 'c=')).toBe(expected)
})
