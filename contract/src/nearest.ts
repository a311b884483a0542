import { fold } from './fold.ts'

/** The accepted name closest to the sent one, if it is close enough to be a typing error. */
export function nearest(sent: string, accepted: Iterable<string>): string | undefined {
  const word = fold(sent)
  let best: string | undefined
  let least = Math.max(1, Math.floor(word.length / 3)) + 1
  if (word.length > 100) return undefined
  for (const name of accepted) {
    const steps = distance(word, fold(name))
    if (steps < least) {
      least = steps
      best = name
    }
  }
  return best
}

/** "Did you mean name?" or nothing, ready to be put behind a sentence. */
export function suggestion(sent: string, accepted: Iterable<string>): string {
  const name = nearest(sent, accepted)
  return name === undefined ? '' : ` Did you mean ${name}?`
}

/** How many letters must be put in, left out, replaced or swapped with their neighbour to make one word the other. */
function distance(a: string, b: string): number {
  let above: readonly number[] = []
  let row: readonly number[] = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      const swapped = isSwap(a.slice(i - 2, i), b.slice(j - 2, j)) ? (above[j - 2] ?? 0) + 1 : replaced
      next.push(Math.min(replaced, swapped, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    above = row
    row = next
  }
  return row[b.length] ?? 0
}

/** Whether two pairs of letters are the same in reverse order. */
function isSwap(a: string, b: string): boolean {
  return a.length === 2 && b.length === 2 && a[0] === b[1] && a[1] === b[0]
}

/** Follows a message about an unknown key that is the code of a custom field. */
export const UNDER_CUSTOM_FIELDS = ' It is a custom field: put it under custom_fields.'
