import { excerpt } from '../excerpt.ts'
import type { FieldType, Place } from '../field-type.ts'
import { matchedList } from './matched-list.ts'

/** The longest text that the library reads. */
const PHONE_MAX = 250
const ROUNDS_MAX = 5

export const phone: FieldType = matchedList({
  name: 'phone',
  kind: 'Phones',
  example: { value: '+14155550100' },
  searched: 'address',
  parseValue: parsePhone,
  matchKey: (number) => number,
})

function parsePhone(text: string, { field, path, report }: Place): string | undefined {
  const dialled = text.length > PHONE_MAX ? undefined : dialledFrom(text.trim())
  if (dialled === undefined) {
    report(
      path,
      `The ${field.name} value ${excerpt(text)} must be a phone number with a country code, such as +1 415 555 0100.`,
    )
    return undefined
  }
  const number = stable(dialled)
  if (number === undefined) {
    const finding = `this one is too short, too long or of no known country`
    report(
      path,
      `The ${field.name} value ${excerpt(text)} must be a phone number with a country code, such as +1 415 555 0100; ${finding}.`,
    )
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

/**
 * Parsing removes one trunk prefix, so repeat it until the number stays the same: a stored number must parse to itself.
 */
function stable(dialled: string): string | undefined {
  let before = dialled
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const number = normalised(before)
    if (number === undefined || number === before) return number
    before = number
  }
  return undefined
}

/** `numbering-plans.ts` sets it. Most screens of the application parse no numbers and need not load the plans. */
let normalised: (text: string) => string | undefined = () => {
  throw new Error('What parses values must import numbering-plans.ts.')
}

export function setNormalised(of: typeof normalised): void {
  normalised = of
}
