import type { FieldDefinition } from '@kith/contract/field-definition'
import type { StoredValue } from '@kith/contract/field-type'
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
  switch (field.type) {
    case 'text':
      return text(field, subject)
    case 'textarea':
    case 'rich-text':
      return [chance.pick(sentences), chance.pick(sentences), chance.pick(sentences)].join(' ')
    case 'number':
      return field.unique ? subject.number : chance.below(10_000)
    case 'currency':
      return amount(field, chance)
    case 'date':
      return new Date(subject.now + (chance.below(400) - 200) * DAY_MS).toISOString().slice(0, 10)
    case 'date-time':
      return new Date(subject.now + (chance.below(400 * 24) - 200 * 24) * 3_600_000).toISOString()
    case 'checkbox':
    case 'toggle':
      return chance.oneIn(3)
    case 'radio':
    case 'toggle-buttons':
    case 'select':
      return field.options.length === 0 ? undefined : chance.pick(field.options).id
    case 'checkbox-list':
    case 'multi-select':
      return options(field, chance)
    case 'tags-input':
      return field.unique ? [`tag-${subject.number}`] : distinct(chance, tags, 3)
    case 'email':
      return [`${subject.handle}.${subject.number}@${subject.domain}`]
    case 'phone':
      return [`+1415555${String(subject.number % 10_000).padStart(4, '0')}`]
    case 'link':
      return [`https://www.linkedin.com/in/${subject.handle}-${subject.number}`]
    case 'domain':
      return [subject.domain]
  }
}

function text(field: FieldDefinition, { chance, number }: Subject): string {
  if (field.unique) return `${chance.pick(companyWords)} ${number}`
  if (field.code === 'job_title') return chance.pick(jobTitles)
  return `${chance.pick(companyWords)} ${chance.pick(companyKinds)}`
}

function amount(field: FieldDefinition, chance: Chance): number {
  const cents = 10 ** (field.settings.decimals ?? 2)
  return 100 + chance.below(250_000) + chance.below(cents) / cents
}

function options(field: FieldDefinition, chance: Chance): string[] | undefined {
  const ids = distinct(
    chance,
    field.options.map((option) => option.id),
    3,
  )
  return ids.length === 0 ? undefined : ids
}

function distinct(chance: Chance, from: readonly string[], most: number): string[] {
  const picked = new Set<string>()
  const wanted = Math.min(from.length, 1 + chance.below(most))
  while (picked.size < wanted) picked.add(chance.pick(from))
  return [...picked]
}
