import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { nearest, suggestion } from './nearest.ts'

const names = ['name', 'created_at', 'updated_at', 'creation_source', 'people', '$eq', '$in', '$not_in', '$has_any']

describe('nearest', () => {
  it.each([
    ['one letter is missing', 'nam', 'name'],
    ['one letter is too many', 'namee', 'name'],
    ['one letter is another', 'nane', 'name'],
    ['two neighbours are swapped', 'nmae', 'name'],
    ['two neighbours at the start are swapped', 'anme', 'name'],
    ['two neighbours at the end are swapped', 'naem', 'name'],
    ['two pairs of neighbours are swapped', 'cretaed_ta', 'created_at'],
    ['the letter case is another', 'Created_At', 'created_at'],
    ['the sign of an operator is missing', 'eq', '$eq'],
    ['an operator is swapped', '$ni', '$in'],
    ['a longer word has as many slips as a third of its letters', 'creaton_surce', 'creation_source'],
  ])('finds the name when %s', (_how, sent, name) => {
    expect(nearest(sent, names)).toBe(name)
  })

  it.each([
    ['two letters of four differ', 'nima'],
    ['two swapped letters have another between them', 'eman'],
    ['nothing is alike', 'zebra'],
    ['nothing was sent', ''],
    ['the word is longer than any name', 'name'.repeat(26)],
  ])('finds none when %s', (_how, sent) => {
    expect(nearest(sent, names)).toBeUndefined()
  })

  it('prefers the closest, and the first of those that are equally close', () => {
    expect(nearest('created_at', ['create_at', 'created_at'])).toBe('created_at')
    expect(nearest('bat', ['cat', 'hat'])).toBe('cat')
  })

  it('finds every name again after any one swap of neighbours', () => {
    const long = names.filter((name) => name.length > 3)
    fc.assert(
      fc.property(fc.constantFrom(...long), fc.nat(), (name, at) => {
        const i = at % (name.length - 1)
        const sent = name.slice(0, i) + name.charAt(i + 1) + name.charAt(i) + name.slice(i + 2)
        expect(nearest(sent, names)).toBe(name)
      }),
    )
  })
})

describe('suggestion', () => {
  it('asks whether the nearest was meant, or says nothing', () => {
    expect(suggestion('nmae', names)).toBe(' Did you mean name?')
    expect(suggestion('zebra', names)).toBe('')
  })
})
