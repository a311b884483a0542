import { searchFold, termsIn, wordsIn } from '@kith/contract/search-words'

/** What a candidate is compared with. */
type Sought = { text: string; words: readonly string[] }

export function soughtIn(query: string): Sought {
  const words = wordsIn(searchFold(query))
  return { text: words.join(' '), words }
}

/**
 * How well a name matches, the best is 0: it is the query, begins with it, has words that begin with those of the
 * query, contains all of them. Otherwise something else of the record matched.
 */
export function rankOf(name: string, { text, words }: Sought): number {
  const folded = searchFold(name)
  const own = wordsIn(folded).join(' ')
  if (own === text) return 0
  if (own.startsWith(text)) return 1
  const terms = termsIn(folded)
  if (words.every((word) => terms.some((term) => term.startsWith(word)))) return 2
  return words.every((word) => terms.some((term) => term.includes(word))) ? 3 : 4
}
