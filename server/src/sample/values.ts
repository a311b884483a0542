import type { FieldDefinition } from '@kith/contract/field-definition'
import type { StoredValue, ValueKind } from '@kith/contract/field-type'
import { fieldTypes } from '@kith/contract/field-types'
import { appointment, dateOf, workday } from './calendar.ts'
import type { Chance } from './chance.ts'
import type { Draft } from './made.ts'
import { phoneOf } from './people.ts'
import { companyKinds, companyWords, sentences, tags } from './words.ts'

/** What a made-up value may be derived from. */
type Subject = {
  chance: Chance
  /** Different for every record, so that what must be unique is. */
  number: number
  today: number
}

/** The kinds whose values in drafts differ from record to record. */
const distinctKinds: readonly ValueKind[] = ['Emails', 'Phones', 'Links', 'Domains']

/** A value for a field, in stored form: the one of the draft, or a made-up one. Now and then there is none. */
export function sampleValue(field: FieldDefinition, { values }: Draft, subject: Subject): StoredValue | undefined {
  const { chance } = subject
  if (!field.required && !field.unique && !field.system && chance.oneIn(12)) return undefined
  const { samples, kind } = fieldTypes[field.type]
  const drafted = values[field.code]?.[kind]
  const isUsable = drafted !== undefined && (!field.unique || distinctKinds.includes(kind))
  const value = isUsable ? storedAs(kind, field, drafted) : undefined
  if (value !== undefined) return value
  return samples ? chance.pick(samples) : made[kind]?.(field, subject)
}

/** Drafts name choices by their labels, which a workspace can rename. */
function storedAs(kind: ValueKind, { options }: FieldDefinition, value: StoredValue): StoredValue | undefined {
  return kind === 'Choice' ? options.find((option) => option.label === value)?.id : value
}

type Make = (field: FieldDefinition, subject: Subject) => StoredValue | undefined

const made: Readonly<Partial<Record<ValueKind, Make>>> = {
  Text: text,
  LongText: (_, { chance }) => [chance.pick(sentences), chance.pick(sentences), chance.pick(sentences)].join(' '),
  Number: number,
  Date: (_, { today, chance }) => dateOf(workday(today, chance.below(400) - 200)),
  DateTime: (_, { today, chance }) =>
    new Date(appointment(workday(today, chance.below(400) - 200), chance.fraction())).toISOString(),
  Choice: ({ options }, { chance }) => (options.length === 0 ? undefined : chance.pick(options).id),
  Choices: chosen,
  Tags: (field, { chance, number }) => (field.unique ? [`tag-${number}`] : distinct(chance, tags, 3)),
  Emails: (_, { number }) => [`contact-${number}@mail.example`],
  Phones: (_, { number }) => [phoneOf(number)],
  Links: (_, { number }) => [`https://www.example.com/${number}`],
  Domains: (_, { number }) => [`site-${number}.example`],
}

function text(field: FieldDefinition, { chance, number }: Subject): string {
  if (field.unique) return `${chance.pick(companyWords)} ${number}`
  return `${chance.pick(companyWords)} ${chance.pick(companyKinds)}`
}

/** An amount of money where the field has a number of decimals, otherwise a whole number. */
function number(field: FieldDefinition, { chance, number }: Subject): number {
  if (field.settings.decimals === undefined) return field.unique ? number : chance.below(10_000)
  const cents = 10 ** field.settings.decimals
  return 100 + chance.below(250_000) + chance.below(cents) / cents
}

function chosen(field: FieldDefinition, { chance }: Subject): string[] | undefined {
  const ids = field.options.map((option) => option.id)
  return ids.length === 0 ? undefined : distinct(chance, ids, 3)
}

function distinct(chance: Chance, from: readonly string[], most: number): string[] {
  const picked = new Set<string>()
  const wanted = Math.min(from.length, 1 + chance.below(most))
  while (picked.size < wanted) picked.add(chance.pick(from))
  return [...picked]
}
