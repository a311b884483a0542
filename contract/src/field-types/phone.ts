// The smallest set of numbering plans: it knows the same lengths as the largest, which is all that is asked of it.
import { parsePhoneNumberFromString } from 'libphonenumber-js/min'
import { excerpt } from '../excerpt.ts'
import type { FieldDefinition } from '../field-definition.ts'
import type { FieldType } from '../field-type.ts'
import type { Report } from '../issue.ts'
import { matchedList } from './matched-list.ts'

/** The longest that the library reads, and far more than any number needs. */
const PHONE_MAX = 250
const ROUNDS_MAX = 5

export const phone: FieldType = matchedList({
  name: 'phone',
  parseValue: parsePhone,
  matchKey: (number) => number,
})

function parsePhone(text: string, field: FieldDefinition, path: string, report: Report): string | undefined {
  const dialled = text.length > PHONE_MAX ? undefined : dialledFrom(text.trim())
  if (dialled === undefined) {
    report(path, `The ${field.name} must be a phone number with a country code, such as +1 415 555 0100.`)
    return undefined
  }
  const number = settled(dialled)
  if (number === undefined) {
    const finding = `"${excerpt(text)}" is too short, too long or of no known country`
    report(path, `The ${field.name} must be a phone number with a country code, such as +1 415 555 0100; ${finding}.`)
  }
  return number
}

/** The number from its "+" on. */
function dialledFrom(text: string): string | undefined {
  const bare = text.slice(0, 4).toLowerCase() === 'tel:' ? text.slice(4).trimStart() : text
  if (bare.startsWith('+')) return bare
  if (bare.startsWith('＋')) return `+${bare.slice(1)}`
  return bare.startsWith('00') ? `+${bare.slice(2).trimStart()}` : undefined
}

/** Reading takes one trunk prefix away, so it is repeated until the number stays as it is: what is read back must not change. */
function settled(dialled: string): string | undefined {
  let before = dialled
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const number = normalised(before)
    if (number === undefined || number === before) return number
    before = number
  }
  return undefined
}

/** E.164 with its extension. Fictional numbers are welcome, so the length is all that is checked. */
function normalised(text: string): string | undefined {
  const parsed = parsePhoneNumberFromString(text, { extract: false })
  if (!parsed?.isPossible()) return undefined
  return parsed.ext ? `${parsed.number};ext=${parsed.ext}` : parsed.number
}
