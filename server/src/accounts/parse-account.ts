import { type Role, roles } from '@kith/contract/abilities'
import { autoFormats, type Formats, formatChoices } from '@kith/contract/app/formats'
import { excerpt } from '@kith/contract/excerpt'
import { lengthOf } from '@kith/contract/fold'
import type { Report } from '@kith/contract/issue'
import { EMAIL_MAX, NAME_MAX, PASSWORD_MAX, PASSWORD_MIN } from '@kith/contract/limits'
import { suggestion } from '@kith/contract/nearest'
import { unstorable } from '@kith/contract/raw-input'
import { parseOrRefuse } from '@kith/contract/refusal'
import { readObject, word } from '@kith/contract/shape'
import { parseTimeZone } from '@kith/contract/time-zone'
import * as z from 'zod'
import { type Fields, readInput } from '../scope/read-input.ts'
import type { Runtime } from '../scope/scope.ts'
import type { Db } from '../storage/engines/engine.ts'
import { userTable } from '../storage/tables/accounts.ts'

// better-auth makes the same check at sign-in, so every account that is created can sign in.
const address = z.email()

/** Like all parsers here, reports the problem and returns a harmless value of the type. */
export function parseEmail(raw: string, path: string, report: Report): string {
  const email = raw.trim().toLowerCase()
  if (email.length <= EMAIL_MAX && address.safeParse(email).success) return email
  report(path, `The ${path} must be a valid email address of at most ${EMAIL_MAX} characters.`)
  return ''
}

/** A name on one line, trimmed. */
export function parseName(raw: string, max: number, report: Report): string {
  const name = raw.trim()
  const problem = unstorable(name)
  if (problem !== undefined) report('name', `The name ${problem}.`)
  else if (/\p{Cc}/u.test(name)) report('name', 'The name must be one line, without control characters.')
  else if (name === '' || lengthOf(name) > max) report('name', `The name must have 1 to ${max} characters.`)
  return name
}

/** The name in an input. It is required. */
export function readName(fields: Fields, max = NAME_MAX): string {
  const sent = fields.text('name')
  return sent === '' ? '' : parseName(sent, max, fields.report)
}

export function parseRole(raw: string, report: Report): Role {
  const role = roles.find((known) => known === raw)
  if (role === undefined) {
    report('role', `The role ${excerpt(raw)} does not exist. Accepted: ${roles.join(', ')}.${suggestion(raw, roles)}`)
  }
  return role ?? 'viewer'
}

export function checkPassword(password: string, report: Report, path = 'password'): void {
  if (password.length >= PASSWORD_MIN && password.length <= PASSWORD_MAX) return
  report(path, `The ${path} must have ${PASSWORD_MIN} to ${PASSWORD_MAX} characters.`)
}

/** How a user reads numbers and dates. */
export async function readFormats(db: Db, userId: string): Promise<Formats> {
  const stored = (await userTable.find(db, { id: userId }))?.formats ?? null
  return stored === null ? autoFormats : { ...autoFormats, ...JSON.parse(stored) }
}

const { numbers, dates, hours, first_day } = formatChoices
const formatShapes = { numbers: word(numbers), dates: word(dates), hours: word(hours), first_day: word(first_day) }

/** Replaces all formats of a user. */
export async function updateFormats(runtime: Runtime, userId: string, input: unknown): Promise<Formats> {
  const formats = parseOrRefuse([], (report) => readObject(input, formatShapes, report))
  const changes = { formats: JSON.stringify(formats) }
  await runtime.engine.transaction((inside) => userTable.update(inside, { id: userId }, changes))
  return formats
}

/** Where a user reads the time. */
export async function updateTimeZone(runtime: Runtime, userId: string, input: unknown): Promise<{ time_zone: string }> {
  const time_zone = readInput(input, (fields) => parseTimeZone(fields.raw('time_zone'), fields.report))
  await runtime.engine.transaction((inside) => userTable.update(inside, { id: userId }, { time_zone }))
  return { time_zone }
}
