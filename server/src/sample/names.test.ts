import { expect, it } from 'vitest'
import { shuffled } from './chance.ts'
import { companyName } from './drafts.ts'
import { lettersOf } from './made.ts'
import { companyKinds, companyWords, firstNames, lastNames } from './words.ts'

it.each([1, 2, 17, 3364, 4096])('a shuffled order of %i has each place once', (size) => {
  for (const seed of [0, 1, -7, 0x7fff_ffff]) {
    const places = Array.from({ length: size }, (_, index) => shuffled(index, size, seed))
    expect(places.toSorted((a, b) => a - b)).toEqual(Array.from({ length: size }, (_, index) => index))
  }
})

it('no two companies have the same name, nor the same domain, which is the name without spaces', () => {
  const all = companyWords.length * (companyWords.length - 1) * companyKinds.length
  const handles = new Set<string>()
  for (let number = 0; number < all; number++) {
    const name = companyName(number, 1)
    const [first, second] = name.split(' ')
    if (first === second) expect.fail(`${name} has the same word twice.`)
    handles.add(name.toLowerCase().replaceAll(' ', ''))
  }
  expect(handles.size).toBe(all)
  expect(companyName(all, 1)).toBe(`${companyName(0, 1)} Adriatic`)
  expect(companyName(all * 100, 1)).toBe(`${companyName(0, 1)} 100`)
  const next = Array.from({ length: 50 }, (_, index) => companyName(index, 1).split(' ')[2])
  expect(new Set(next).size, 'neighbours differ in what they do').toBeGreaterThan(15)
})

it.each([
  ['first', firstNames],
  ['last', lastNames],
])('the %s names stay different in addresses', (_, names) => {
  expect(new Set(names.map(lettersOf)).size).toBe(names.length)
})
