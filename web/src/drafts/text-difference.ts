import type { RecordInput } from '../api/patch-record.ts'

/** A piece of a text. `only`: the other version does not have it. */
type TextPart = { text: string; only: boolean }

/** So many pairs of words are compared; in longer texts everything between the equal ends counts as different. */
const PAIRS_MAX = 4_000_000

/** A text in parts that are, and are not, in the other version. Whole words are compared. */
export function markedText(text: string, other: string): TextPart[] {
  const [own, theirs] = [wordsOf(text), wordsOf(other)]
  const shorter = Math.min(own.length, theirs.length)
  let before = 0
  while (before < shorter && own[before] === theirs[before]) before++
  let after = 0
  while (after < shorter - before && own.at(-1 - after) === theirs.at(-1 - after)) after++
  const middle = own.slice(before, own.length - after)
  const kept = inBoth(middle, theirs.slice(before, theirs.length - after))
  return joined([
    ...own.slice(0, before).map((word) => ({ text: word, only: false })),
    ...middle.map((word, place) => ({ text: word, only: !kept.has(place) })),
    ...own.slice(own.length - after).map((word) => ({ text: word, only: false })),
  ])
}

/** The items that only one of two lists has. Nothing for values that are no lists. */
export function onlyIn(own: RecordInput, other: RecordInput): string[] {
  const [items, others] = [itemsOf(own), itemsOf(other)]
  return items.filter((item) => !others.includes(item))
}

function itemsOf({ custom_fields, ...attributes }: RecordInput): string[] {
  const lists = [...Object.values(attributes), ...Object.values(custom_fields ?? {})].filter(Array.isArray)
  return lists.flat().map((item) => (typeof item === 'object' && item !== null ? (item.label ?? '') : String(item)))
}

/** Words with the space before them, so that a space alone is no difference of its own. */
function wordsOf(text: string): string[] {
  return text.match(/\s*\S+|\s+$/g) ?? []
}

/** The places of the words of a longest common sequence. */
function inBoth(own: readonly string[], other: readonly string[]): ReadonlySet<number> {
  const kept = new Set<number>()
  const width = other.length + 1
  if (own.length * other.length > PAIRS_MAX) return kept
  // lengths[i * width + j]: how many words from i and j on are in both, in this order.
  const lengths = new Uint16Array((own.length + 1) * width)
  const at = (row: number, column: number) => lengths[row * width + column] ?? 0
  for (let row = own.length - 1; row >= 0; row--) {
    for (let column = other.length - 1; column >= 0; column--) {
      const isSame = own[row] === other[column]
      const length = isSame ? at(row + 1, column + 1) + 1 : Math.max(at(row + 1, column), at(row, column + 1))
      lengths[row * width + column] = length
    }
  }
  for (let row = 0, column = 0; row < own.length && column < other.length; ) {
    if (own[row] === other[column]) {
      kept.add(row)
      row++
      column++
    } else if (at(row + 1, column) >= at(row, column + 1)) row++
    else column++
  }
  return kept
}

function joined(parts: readonly TextPart[]): TextPart[] {
  const whole: TextPart[] = []
  for (const part of parts) {
    const last = whole.at(-1)
    if (last && last.only === part.only) last.text += part.text
    else whole.push({ ...part })
  }
  return whole
}
