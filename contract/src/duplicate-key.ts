import { boundedKey, fold } from './fold.ts'
import { plainLetters } from './plain-letters.ts'

/** Legal forms of companies, without punctuation, as they end a name. */
const LEGAL_FORMS: ReadonlySet<string> = new Set(
  (
    'ab ag aps as asa bhd bv co company corp corporation doo eg ek ev eurl gbr gesmbh ggmbh gmbh inc incorporated ' +
    'kft kg kgaa kk limited llc llp lp ltd lte mbh nv ohg oy oyj plc ptd pte pty pvt sa sarl sas sca scs sdn se ' +
    'sl snc soc spa spk spzoo sro srl ug unlimited zrt'
  ).split(' '),
)

/** The connectors between two legal forms, as in "GmbH & Co. KG". */
const BETWEEN_FORMS: ReadonlySet<string> = new Set(['and', 'und', 'et'])

/**
 * Equal for names that differ in letter case, accents, punctuation and legal form only. Empty if nothing is left by
 * which two names could be compared.
 */
export function duplicateKey(name: string): string {
  const letters = plainLetters(fold(name))
  const words = PLAIN.test(letters) ? letters.split(' ') : wordsOf(letters)
  return boundedKey(withoutForm(words).join(' '))
}

/** Words of two letters or more, as most names are: to split them takes a tenth of the time. */
const PLAIN = /^[a-z0-9]{2,}(?: [a-z0-9]{2,})*$/

function wordsOf(letters: string): string[] {
  return (
    letters
      .replaceAll('&', ' and ')
      // A point or an apostrophe is inside of a word: S.A., O'Neil.
      .replaceAll(/[.'’`]/g, '')
      .split(/[^\p{L}\p{N}]+/u)
      .filter((word) => word !== '')
      .join(' ')
      // Single letters are one word: A/S, J. R. R.
      .replaceAll(/(?<=(?:^| )\p{L}) (?=\p{L}(?: |$))/gu, '')
      .split(' ')
  )
}

/** At least one word stays. */
function withoutForm(words: readonly string[]): readonly string[] {
  let end = words.length
  while (end > 1 && isForm(words, end)) end--
  // What stood in front of a form that is gone.
  while (end > 1 && end < words.length && BETWEEN_FORMS.has(words[end - 1] ?? '')) end--
  return words.slice(0, end)
}

function isForm(words: readonly string[], end: number): boolean {
  const last = words[end - 1] ?? ''
  return (
    LEGAL_FORMS.has(last) || (BETWEEN_FORMS.has(last) && end < words.length && LEGAL_FORMS.has(words[end - 2] ?? ''))
  )
}
