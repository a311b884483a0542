import { expect, test } from 'vitest'
import { freeSlug, slugProblem, slugStem } from './workspaces.ts'

test.each([
  ['Acme', 'acme'],
  ['Acmé Inc.', 'acme-inc'],
  ['  --Müller & Söhne--  ', 'muller-sohne'],
  ['日本', 'team'],
  ['x', 'team'],
  ['a'.repeat(80), 'a'.repeat(44)],
])('%s makes %s', (name, slug) => {
  expect(slugStem(name)).toBe(slug)
  expect(slugProblem(slugStem(name))).toBeUndefined()
})

test('a taken or reserved slug is numbered', () => {
  expect(freeSlug('acme', new Set())).toBe('acme')
  expect(freeSlug('acme', new Set(['acme', 'acme-2']))).toBe('acme-3')
  expect(freeSlug('api', new Set())).toBe('api-2')
})

test.each(['a', 'Acme', '-acme', 'ac me', 'a'.repeat(51), 'api', 'v1', 'settings'])('%s is refused', (slug) => {
  expect(slugProblem(slug)).toMatch(/^The slug .*\.$/)
})

test.each(['ab', 'a-', '0x', 'a'.repeat(50)])('%s is accepted', (slug) => {
  expect(slugProblem(slug)).toBeUndefined()
})
