import type { FieldDefinition } from '@kith/contract/field-definition'
import type { StoredValue, ValueKind } from '@kith/contract/field-type'
import { fieldTypes } from '@kith/contract/field-types'
import { targetOf } from '@kith/contract/field-types/reference'
import { DAY_MS } from '@kith/contract/limits'
import { refuse } from '@kith/contract/refusal'
import { perResource, type Resource, type ResourceName } from '@kith/contract/resource'
import { noteWrite } from '../journal/write.ts'
import type { NewRecord } from '../records/changes.ts'
import { storeWrites } from '../records/store.ts'
import type { FieldValue } from '../records/stored-values.ts'
import { requirePermission } from '../scope/permissions.ts'
import { inTransaction, type Scope } from '../scope/scope.ts'
import { countRows, loadLiveCounts } from '../storage/tables/records.ts'
import { appointment, type Chance, calendarUntil, chanceFrom, dateOf, hashOf, seededId, workday } from './chance.ts'
import { makerOf } from './drafts.ts'
import { type Draft, phoneOf, pickBefore, type SampleRecords } from './made.ts'
import { companyKinds, companyWords, sentences, tags } from './words.ts'

const BATCH = 5000

/** How many records of a resource later ones can refer to, so that memory does not grow with the data. */
const REMEMBERED = 200_000

type SampleOptions = { sizes: Readonly<Partial<Record<ResourceName, number>>>; seed: number }

/** Fills a workspace with sample records: the same ones for the same seed and day. */
export async function loadSample(scope: Scope, options: SampleOptions): Promise<number> {
  const records = await scope.engine.loadInBulk(() => load(scope, options))
  // Otherwise the first reader of the feed numbers them all.
  await scope.engine.numberChanges(scope.workspace.id)
  return records
}

async function load(scope: Scope, { sizes, seed }: SampleOptions): Promise<number> {
  const calendar = calendarUntil(Math.floor(scope.now().getTime() / DAY_MS) * DAY_MS)
  const made: SampleRecords = { calendar, user_id: scope.actor.user_id, companies: [], people: [], deals: [] }
  let done = 0
  for (const resource of scope.schema.values()) {
    const { type } = resource
    // The number of existing records is part of the seed, so that a second load adds other records.
    const before = await countRows(scope, type)
    const chance = chanceFrom(`${seed} ${scope.workspace.slug} ${type} ${before}`)
    const nameSeed = hashOf(`${seed} ${scope.workspace.slug}`)
    const size = sizes[type] ?? 0
    for (let start = 0; start < size; start += BATCH) {
      const count = Math.min(BATCH, size - start)
      await loadSome(scope, resource, { made, chance, seed: nameSeed, start, count, size, before })
      done += count
    }
  }
  await inTransaction(scope, (inside) => {
    const changes = [...scope.schema.keys()].flatMap((name) =>
      sizes[name] ? [[name, null, sizes[name]] as const] : [],
    )
    return noteWrite(inside, [{ action: 'sample', resource: 'workspace', record_id: scope.workspace.id, changes }])
  })
  return done
}

type Batch = {
  made: SampleRecords
  chance: Chance
  seed: number
  start: number
  count: number
  size: number
  before: number
}

async function loadSome(scope: Scope, resource: Resource, batch: Batch): Promise<void> {
  const make = recordMaker(resource, batch)
  const records = Array.from({ length: batch.count }, (_, index) => make(batch.start + index))
  await inTransaction(scope, (inside) => storeWrites(inside, resource, records))
}

/** Returns a function that makes the record at an index. */
function recordMaker(resource: Resource, { made, chance, seed, size, before }: Batch): (index: number) => NewRecord {
  const maker = makerOf(resource)
  const step = Math.ceil(size / REMEMBERED)
  return (index) => {
    const at = made.calendar.at(maker.pace(index / size))
    const number = before + index
    const id = seededId(at, chance)
    const isRemembered = index % step === 0
    const draft = maker.draft({ made, chance, id, at, number, seed, isRemembered, isLater: before > 0 })
    const values = resource.fields.list.flatMap((field): FieldValue[] => {
      const value = sampleValue(field, draft, { chance, number, at, records: made, today: made.calendar.today })
      return value === undefined ? [] : [[field, value]]
    })
    return {
      id,
      label: draft.label,
      references: referencesOf(resource, draft),
      creation_source: 'sample',
      created_at: new Date(at).toISOString(),
      updated_at: new Date(draft.updated).toISOString(),
      values,
      links: linksOf(resource, draft),
    }
  }
}

function referencesOf({ references }: Resource, { related }: Draft): Map<string, string | null> {
  return new Map(Object.keys(references).map((column) => [column, related[column]?.[0] ?? null]))
}

function linksOf({ links }: Resource, { related }: Draft): NewRecord['links'] {
  return Object.entries(links).flatMap(([name, { relation }]) =>
    (related[name] ?? []).map((to_id) => ({ relation, to_id })),
  )
}

/** A few records of each resource, and more of those that screens show most. */
export const SMALL_SAMPLE = { ...perResource(() => 40), people: 90, opportunities: 50, notes: 30 }

/** Fills a workspace that has no records yet. */
export async function loadFirstSample(scope: Scope): Promise<{ records: number }> {
  requirePermission(scope, 'manage_workspace')
  const counts = await loadLiveCounts(scope)
  if (Object.values(counts).some((live) => live > 0)) {
    const message = 'Sample data is for empty workspaces only, and this one has records.'
    refuse({ kind: 'invalid', issues: [{ path: 'workspace', message }] })
  }
  return { records: await loadSample(scope, { sizes: SMALL_SAMPLE, seed: 1 }) }
}

/** The data from which a sample value is derived. */
type Subject = {
  chance: Chance
  /** Different for every record, so that unique values differ. */
  number: number
  /** When the record was made, and what it can refer to. */
  at: number
  records: SampleRecords
  today: number
}

/** The kinds whose values in drafts differ from record to record. */
const distinctKinds: readonly ValueKind[] = ['Emails', 'Phones', 'Links', 'Domains']

/** A value for a field, in stored form: from the draft, or generated. Sometimes there is none. */
function sampleValue(field: FieldDefinition, { values }: Draft, subject: Subject): StoredValue | undefined {
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

const made: Readonly<
  Partial<Record<ValueKind, (field: FieldDefinition, subject: Subject) => StoredValue | undefined>>
> = {
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
  Reference: reference,
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

/** An earlier record, or the member for whom the sample is made. */
function reference(field: FieldDefinition, { records, at, chance }: Subject): string[] | undefined {
  const { companies, people, deals, user_id } = records
  const to = targetOf(field)
  if (to === 'users') return [user_id]
  const earlier = { companies, people, opportunities: deals }[to]
  const one = earlier && pickBefore<{ id: string; at: number }>(earlier, at, chance)
  return one && [one.id]
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
