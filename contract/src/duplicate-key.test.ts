import { expect, test } from 'vitest'
import { duplicateKey } from './duplicate-key.ts'

test.each([
  [
    'Acme',
    ['ACME', 'acme, Inc.', 'Acme Inc', 'Acme Ltd.', 'Acme GmbH', 'ACME G.m.b.H.', ' Acme  S.A. ', 'Acmé', '"Acme"'],
  ],
  ['Müller & Söhne', ['Muller and Sohne GmbH & Co. KG', 'MÜLLER & SÖHNE KG', 'Müller & Söhne Co. Ltd.']],
  ['Straße', ['STRASSE', 'Strasse AG']],
  ["O'Neil", ['ONeil', 'O’Neil']],
  ['Ørsted', ['Orsted A/S', 'ørsted as']],
  ['J. R. R. Tolkien', ['JRR Tolkien', 'J R R Tolkien']],
  ['Ελλάς', ['ΕΛΛΑΣ', 'ελλας']],
])('%s is likely the same as %j', (name, others) => {
  for (const other of others) expect(duplicateKey(other), other).toBe(duplicateKey(name))
})

test.each([
  ['Acme', 'Acme Labs'],
  ['Acme Holding', 'Acme'],
  ['Inc.', 'GmbH'],
  ['AG', 'SE'],
  ['Company', 'Co'],
])('%s is not the same as %s', (one, other) => {
  expect(duplicateKey(one)).not.toBe(duplicateKey(other))
})

test('a name without letters and digits has no key', () => {
  expect(['!!!', '—', '  '].map(duplicateKey)).toEqual(['', '', ''])
})

test('a long name has a key short enough for an index', () => {
  expect(duplicateKey('x'.repeat(5000)).length).toBeLessThan(600)
})
