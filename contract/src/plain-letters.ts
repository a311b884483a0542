import { isAscii } from './fold.ts'

/** Letters that are no letter with a mark. */
const LETTERS: Readonly<Record<string, string>> = { ø: 'o', ł: 'l', đ: 'd', ð: 'd', þ: 'th', æ: 'ae', œ: 'oe', ı: 'i' }

/** A folded text without accents and other marks, decomposed. */
export function plainLetters(folded: string, marks = /\p{M}/gu): string {
  if (isAscii(folded)) return folded
  return folded
    .normalize('NFD')
    .replaceAll(marks, '')
    .replaceAll(/[øłđðþæœı]/g, (letter) => LETTERS[letter] ?? letter)
}
