import { fold, isAscii } from './fold.ts'
import { plainLetters } from './plain-letters.ts'

/** Marks of Latin, Greek, Cyrillic, Hebrew and Arabic letters. In other scripts a mark makes another letter. */
const MARKS = /[\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670]/g

const WORD = /[\p{L}\p{N}\p{M}\p{So}]+/gu
/** A faster version for ASCII, which takes a third of the time. */
const ASCII_WORD = /[a-z0-9]+/gi

/** A text as search compares it: without letter case, accents and the width of letters. */
export function searchFold(text: string): string {
  if (isAscii(text)) return text.toLowerCase()
  return plainLetters(fold(text.normalize('NFKC')), MARKS).normalize('NFC')
}

/** The words of a folded text, in order. Everything but letters, digits and pictures is between words. */
export function wordsIn(folded: string): string[] {
  return folded.match(isAscii(folded) ? ASCII_WORD : WORD) ?? []
}

/** Characters between addresses, or between the parts of one. No word continues after them. */
const BETWEEN_TERMS = /[\s@/,;:()<>[\]|"]+/

const JOINED_PIECES_MAX = 4

/** The words of a folded text, and those that its points, hyphens and apostrophes divide as one: "obrien", "jrr". */
export function termsIn(folded: string): string[] {
  const terms: string[] = []
  for (const part of folded.split(BETWEEN_TERMS)) {
    const words = wordsIn(part)
    terms.push(...words)
    if (words.length > 1 && words.length <= JOINED_PIECES_MAX) terms.push(words.join(''))
  }
  return terms
}

/** Groups of digits as a phone number has them. */
const DIGIT_GROUPS = /\d[\d\s().\-/]{1,30}\d/g
/** Most texts have no groups: this is the cheaper check. */
const DIVIDED_DIGITS = /\d[\s().\-/]+\d/
const NUMBER_MIN = 5

/** Groups of digits that may be one number: their text, and the number as one word. */
function numbersIn(folded: string): { text: string; digits: string }[] {
  if (!DIVIDED_DIGITS.test(folded)) return []
  return [...folded.matchAll(DIGIT_GROUPS)].flatMap(([text]) => {
    const digits = text.replaceAll(/\D/g, '')
    return digits.length >= NUMBER_MIN && digits.length < text.length ? [{ text, digits }] : []
  })
}

/** A longer word is found by its beginning. */
const WORD_MAX = 60

/**
 * What the search index has of a record: its words, each once and after two spaces. Letters beyond ASCII are written as
 * four ASCII characters, because the trigrams of PostgreSQL know other letters in some locales only.
 */
export function searchDocument(texts: Iterable<string>): string {
  const words = new Set<string>()
  for (const text of texts) {
    const folded = searchFold(text.replace(/^https?:\/\/(?:www\.)?/i, ''))
    for (const term of termsIn(folded)) words.add(term)
    for (const { digits } of numbersIn(folded)) words.add(digits)
  }
  let document = ''
  // Sorted, so that the order of fields does not matter.
  for (const word of [...words].sort()) document += BEFORE_WORD + encoded(word)
  return document
}

const BEFORE_WORD = '  '

function encoded(word: string): string {
  if (isAscii(word)) return word.slice(0, WORD_MAX)
  return [...word].slice(0, WORD_MAX).map(asciiOf).join('')
}

const BASE = 36
const DIGITS = 3
const PER_LETTER = BASE ** DIGITS
const FIRST = 'A'.charCodeAt(0)

/** Begins with a capital letter, which no folded text has: no code begins within another. */
function asciiOf(letter: string): string {
  if (isAscii(letter)) return letter
  const code = letter.codePointAt(0) ?? 0
  const rest = (code % PER_LETTER).toString(BASE).padStart(DIGITS, '0')
  return String.fromCharCode(FIRST + Math.floor(code / PER_LETTER)) + rest
}

/** Parts of a document that must all be in it. */
export type SearchParts = readonly string[]

/** The ways in which a query can be meant, the likeliest first. None if it has no words. */
export function searchParts(query: string): SearchParts[] {
  const folded = searchFold(query.trim())
  const ways = [strictParts(folded), looseParts(folded)].filter((parts) => parts.length > 0)
  const [strict, loose] = ways
  return strict && loose && strict.join(' ') === loose.join(' ') ? [strict] : ways
}

/** Groups of digits are one number, and an address of a page is all of its parts. */
function strictParts(folded: string): SearchParts {
  let rest = withoutScheme(folded).replaceAll('(0)', ' ')
  const numbers: string[] = []
  for (const { text, digits } of numbersIn(rest)) {
    rest = rest.replace(text, ' ')
    numbers.push(withoutTrunk(digits))
  }
  return distinct([...wordsIn(rest).map(withoutTrunk), ...numbers].map(partOf))
}

/** Groups of digits begin words, and of an address of a page the host is enough. */
function looseParts(folded: string): SearchParts {
  const rest = folded.replaceAll(/(?:https?:\/\/)([^\s/?#]*)\S*/g, (_, host: string) => host)
  const groups = new Set(numbersIn(rest).flatMap(({ text }) => wordsIn(text)))
  const parts = wordsIn(withoutScheme(rest)).map((word) => (groups.has(word) ? BEFORE_WORD + word : partOf(word)))
  return distinct(parts)
}

function withoutScheme(folded: string): string {
  return folded.replaceAll(/(?:https?:\/\/)?(?:\bwww\.)|https?:\/\//g, '')
}

const TRUNK_FROM = 6

/** A number is stored with its country code. People leave that out, and begin with zeros. */
function withoutTrunk(word: string): string {
  return word.length >= TRUNK_FROM ? word.replace(/^0+(?=\d{4,}$)/, '') : word
}

const SHORT_MAX = 2

/** Scripts that put no spaces between words, and pictures: one letter says enough. */
const DENSE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\p{So}]/u

/** Short words are found at the beginning of words only, others anywhere. */
function partOf(word: string): string {
  const isShort = [...word].length <= SHORT_MAX && !DENSE.test(word)
  return (isShort ? BEFORE_WORD : '') + encoded(word)
}

/** Without parts that are in another one, which would be no further condition. */
function distinct(parts: readonly string[]): SearchParts {
  const unique = [...new Set(parts)]
  return unique.filter((part) => !unique.some((other) => other !== part && other.includes(part)))
}
