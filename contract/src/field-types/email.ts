import { excerpt } from '../excerpt.ts'
import type { FieldType } from '../field-type.ts'
import { isLongerThan } from '../fold.ts'
import { parseHostName } from '../host.ts'
import { EMAIL_MAX } from '../limits.ts'
import { matchedList } from './matched-list.ts'

const LOCAL_PART_MAX = 64
const NEVER_IN_ADDRESS = /[\s\p{Cc}\p{Cf}"(),:;<>[\]\\]/u

export const email: FieldType = matchedList({
  name: 'email',
  kind: 'Emails',
  alikeBy: 'value',
  hosts: 'keep www',
  example: { value: 'ada@example.com' },
  searched: 'address',
  parseValue(text, { field, path, report }) {
    const address = text.trim()
    if (isLongerThan(address, EMAIL_MAX)) {
      report(path, `The ${field.name} must not have an address longer than ${EMAIL_MAX} characters.`)
      return undefined
    }
    if (isAddress(address)) return address
    report(path, `The ${field.name} value ${excerpt(text)} must be a valid email address, such as ada@example.com.`)
    return undefined
  },
  matchKey: (address) => address.toLowerCase(),
  hostKey: hostOf,
  // An operand that is no address matches nothing.
  operandKey: (text) => text.trim().toLowerCase(),
})

function isAddress(text: string): boolean {
  const at = text.indexOf('@')
  if (at < 1 || text.includes('@', at + 1) || NEVER_IN_ADDRESS.test(text)) return false
  const host = hostOf(text)
  return host !== null && !host.includes('_') && isLocalPart(text.slice(0, at))
}

function hostOf(address: string): string | null {
  const host = address.slice(address.indexOf('@') + 1)
  return host.endsWith('.') ? null : (parseHostName(host) ?? null)
}

function isLocalPart(text: string): boolean {
  if (isLongerThan(text, LOCAL_PART_MAX)) return false
  return !text.startsWith('.') && !text.endsWith('.') && !text.includes('..')
}
