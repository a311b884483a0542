import type { FieldDefinition } from '@kith/contract/field-definition'
import type { StoredValue, ValueKind } from '@kith/contract/field-type'
import { fieldTypes } from '@kith/contract/field-types'
import type { Chance } from './chance.ts'
import { companyKinds, companyWords, jobTitles, sentences, tags } from './words.ts'

const DAY_MS = 86_400_000

/** What a made-up value may be derived from. */
export type Subject = {
  chance: Chance
  /** Different for every record, so that what must be unique is. */
  number: number
  /** The record's name in letters and dots only. */
  handle: string
  domain: string
  now: number
}

/** A made-up value for a field, in stored form; now and then there is none. */
export function sampleValue(field: FieldDefinition, subject: Subject): StoredValue | undefined {
  const { chance } = subject
  if (!field.required && !field.unique && !field.system && chance.oneIn(12)) return undefined
  const { samples, kind } = fieldTypes[field.type]
  return samples ? chance.pick(samples) : made[kind]?.(field, subject)
}

type Make = (field: FieldDefinition, subject: Subject) => StoredValue | undefined

const made: Readonly<Partial<Record<ValueKind, Make>>> = {
  Text: text,
  LongText: (_, { chance }) => [chance.pick(sentences), chance.pick(sentences), chance.pick(sentences)].join(' '),
  Number: number,
  Date: (_, { now, chance }) => new Date(now + (chance.below(400) - 200) * DAY_MS).toISOString().slice(0, 10),
  DateTime: (_, { now, chance }) => new Date(now + (chance.below(400 * 24) - 200 * 24) * 3_600_000).toISOString(),
  Choice: ({ options }, { chance }) => (options.length === 0 ? undefined : chance.pick(options).id),
  Choices: chosen,
  Tags: (field, { chance, number }) => (field.unique ? [`tag-${number}`] : distinct(chance, tags, 3)),
  Emails: (_, { handle, number, domain }) => [`${handle}.${number}@${domain}`],
  Phones: (_, { number }) => [`+1415555${String(number % 10_000).padStart(4, '0')}`],
  Links: (_, { handle, number }) => [`https://www.linkedin.com/in/${handle}-${number}`],
  Domains: (_, { domain }) => [domain],
}

function text(field: FieldDefinition, { chance, number }: Subject): string {
  if (field.unique) return `${chance.pick(companyWords)} ${number}`
  if (field.code === 'job_title') return chance.pick(jobTitles)
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
