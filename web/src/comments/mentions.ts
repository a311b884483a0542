import type { CommentObject } from '@kith/contract/comment'
import { parseId } from '@kith/contract/id'
import { searchFold, wordsIn } from '@kith/contract/search-words'

/** Someone whom a text mentions, under the name that the editor shows. Each has a name of their own there. */
export type Person = { id: string; name: string }

/** The id that a text mentions, as it is stored: see `mentionsIn` of the contract. */
const STORED = /(?<!\\)@\[([^[\]\n]+)\](?!\()/g

/** A stored text as it is edited: with names for ids. */
export function toTyped(body: string, people: readonly Person[]): string {
  return body.replaceAll(STORED, (written, id: string) => {
    const person = people.find((one) => one.id === parseId(id))
    return person ? `@${person.name}` : written
  })
}

/** A text as it is stored: with ids for the names of these people. */
export function toStored(typed: string, people: readonly Person[]): string {
  // A name may begin with another one.
  const longestFirst = people.toSorted((one, other) => other.name.length - one.name.length)
  let stored = ''
  let from = 0
  for (let at = typed.indexOf('@'); at !== -1; at = typed.indexOf('@', from)) {
    const person = longestFirst.find((one) => isNameAt(typed, at, one.name))
    stored += typed.slice(from, at) + (person ? `@[${person.id}]` : '@')
    from = at + 1 + (person?.name.length ?? 0)
  }
  return stored + typed.slice(from)
}

/** Those of these people whom a typed text mentions. */
export function mentionedIn(typed: string, people: readonly Person[]): Person[] {
  const stored = toStored(typed, people)
  return people.filter(({ id }) => stored.includes(`@[${id}]`))
}

function isNameAt(text: string, at: number, name: string): boolean {
  const after = text.slice(at + 1 + name.length).slice(0, 1)
  return text.startsWith(name, at + 1) && !isWordPart(after) && !isInWord(text, at)
}

function isWordPart(character: string): boolean {
  return /[\p{L}\p{N}_]/u.test(character)
}

/** Whether the @ is a part of something longer, such as an address, or is plain text. */
function isInWord(text: string, at: number): boolean {
  const before = text.slice(0, at).slice(-1)
  return isWordPart(before) || before === '\\'
}

/** The people of a comment, each under a name of their own. */
export function peopleIn({ attributes }: CommentObject): Person[] {
  const people: Person[] = []
  for (const { id, name } of attributes.mentions) people.push(named({ id, name }, people))
  return people
}

/** A person under a name that none of the others has. */
export function named({ id, name }: Person, others: readonly Person[], detail = id): Person {
  const isTaken = others.some((other) => other.id !== id && other.name === name)
  return { id, name: isTaken ? `${name} (${detail})` : name }
}

/** The mention that is being typed before the cursor: where its @ is, and the beginning of a name. */
export function beginningAt(
  typed: string,
  cursor: number,
  people: readonly Person[],
): { at: number; text: string } | undefined {
  const at = typed.lastIndexOf('@', cursor - 1)
  const text = typed.slice(at + 1, cursor)
  if (at === -1 || cursor === 0 || isInWord(typed, at) || text.length > NAME_MAX || /^\s|\n/.test(text))
    return undefined
  // After a name that was picked, the text goes on.
  const isDone = people.some(({ name }) => text.length > name.length && isNameAt(typed, at, name))
  return isDone ? undefined : { at, text }
}

const NAME_MAX = 50

/** The people who have a word of their name for each word of a text, those first whose name begins with it. */
export function matching<Found extends { name: string }>(all: readonly Found[], text: string): Found[] {
  const words = wordsIn(searchFold(text))
  const isMatch = ({ name }: Found) => {
    const own = wordsIn(searchFold(name))
    return words.every((word) => own.some((one) => one.startsWith(word)))
  }
  const rank = ({ name }: Found) => (searchFold(name).startsWith(searchFold(text)) ? 0 : 1)
  return all.filter(isMatch).toSorted((one, other) => rank(one) - rank(other) || one.name.localeCompare(other.name))
}
