import { newId } from '@kith/contract/id'
import { expect, it } from 'vitest'
import { beginningAt, matching, mentionedIn, named, toStored, toTyped } from './mentions.ts'

const [ada, short] = [
  { id: newId(1), name: 'Ada Lindqvist' },
  { id: newId(2), name: 'Ada' },
]

it.each([
  ['Ask @Ada Lindqvist, or @Ada.', `Ask @[${ada.id}], or @[${short.id}].`],
  ['@Ada\n@Ada', `@[${short.id}]\n@[${short.id}]`],
  ['Write to x@Ada, or @Adam, or @Ada_, or @Bea', 'Write to x@Ada, or @Adam, or @Ada_, or @Bea'],
  ['@', '@'],
  ['\\@Ada', '\\@Ada'],
])('a mention is stored by its id and edited by its name: %j', (typed, stored) => {
  expect(toStored(typed, [short, ada])).toBe(stored)
  expect(toTyped(stored, [short, ada])).toBe(typed)
})

it('what mentions nobody stays as it is', () => {
  const body = `\\@[${ada.id}] @[${ada.id}](x) @[${newId(3)}] @[x]`
  expect(toTyped(body, [ada])).toBe(body)
})

it('two people with one name have a name of their own each', () => {
  const other = named({ id: newId(4), name: 'Ada' }, [ada, short], 'ada@example.com')
  expect(other.name).toBe('Ada (ada@example.com)')
  expect(named(short, [short])).toEqual(short)
  expect(toStored('@Ada and @Ada (ada@example.com)', [short, other])).toBe(`@[${short.id}] and @[${other.id}]`)
})

it('the people whom a text no longer mentions are no longer among those who are told', () => {
  expect(mentionedIn('@Ada Lindqvist?', [ada, short])).toEqual([ada])
})

it.each([
  ['@', { at: 0, text: '' }],
  ['Hi @li', { at: 3, text: 'li' }],
  ['(@ada l', { at: 1, text: 'ada l' }],
  ['a@example', undefined],
  ['@ada\nnext', undefined],
  ['@ ada', undefined],
  ['@Ada Lindqvist knows', undefined],
  ['no one', undefined],
])('a beginning of a name is asked for after @: %j', (typed, found) => {
  expect(beginningAt(typed, typed.length, [ada])).toEqual(found)
})

it('a name is found by the beginnings of its words, without accents and letter case', () => {
  const all = [{ name: 'Bo Åberg' }, { name: 'Åsa Bolin' }, { name: 'Clara' }]
  expect(matching(all, 'bo').map(({ name }) => name)).toEqual(['Bo Åberg', 'Åsa Bolin'])
  expect(matching(all, 'asa bol')).toEqual([{ name: 'Åsa Bolin' }])
  expect(matching(all, 'x')).toEqual([])
  expect(matching(all, '')).toHaveLength(3)
})
