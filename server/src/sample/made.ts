import type { StoredValue, ValueKind } from '@kith/contract/field-type'
import type { Calendar } from './calendar.ts'
import type { Chance } from './chance.ts'

/** What later records need to know about a company. */
export type Company = {
  id: string
  at: number
  /** Selects the names of its people. */
  number: number
  name: string
  domain: string
  employees: number
  people: number
  deals: number
  /** The first few of its people. */
  contacts: Person[]
}

export type Person = {
  id: string
  at: number
  name: string
  title: string
  company: Company | undefined
  /** The last deal with this person. */
  deal: Deal | undefined
}

export type Deal = {
  id: string
  at: number
  kind: string
  amount: number
  company: Company
  contact: Person | undefined
  outcome: 'won' | 'lost' | 'open'
  /** The day on which it was closed, or on which it is expected to be. */
  closes: number
}

/** The records made so far to which later ones refer, each list in the order of time. */
export type Made = {
  calendar: Calendar
  user_id: string
  companies: Company[]
  people: Person[]
  deals: Deal[]
}

/** One record to make. */
export type Wanted = {
  made: Made
  chance: Chance
  id: string
  at: number
  /** Different for every record of the resource, so that what must be unique is. */
  number: number
  /** Whether later records may refer to it. Only some may if there are many, so that memory is bounded. */
  isRemembered: boolean
  /** Selects the names of companies. */
  seed: number
  /** Whether the workspace had records of the resource before. */
  isLater: boolean
}

/** What is said about a record. Values of fields that are not named here are made up freely. */
export type Draft = {
  label: string
  updated: number
  /** Ids by the name of a reference or of a list of links. */
  related: Readonly<Record<string, readonly string[]>>
  /** By code, and by kind, because a field can be deleted and defined again. A choice is named by its label. */
  values: Readonly<Record<string, Readonly<Partial<Record<ValueKind, StoredValue>>>>>
}

/** A random item from before a time, if there is one. */
export function pickBefore<T extends { at: number }>(list: readonly T[], at: number, chance: Chance): T | undefined {
  let low = 0
  let high = list.length
  while (low < high) {
    const middle = (low + high) >>> 1
    const item = list[middle]
    if (item && item.at <= at) low = middle + 1
    else high = middle
  }
  return low === 0 ? undefined : list[chance.below(low)]
}

/** Large companies have more people and deals than small ones. */
export function pickCompany({ made, at, chance }: Wanted): Company | undefined {
  const one = pickBefore(made.companies, at, chance)
  const other = pickBefore(made.companies, at, chance)
  return one && other && other.employees > one.employees ? other : one
}

/** A working time after a record was made, or that time itself for a record that has never changed. */
export function laterOrSame({ made, at, chance }: Wanted): number {
  if (chance.oneIn(2)) return at
  return Math.max(at, made.calendar.at(chance.fraction()))
}

export function idsOf(...records: readonly ({ id: string } | undefined)[]): string[] {
  return records.flatMap((record) => (record ? [record.id] : []))
}
