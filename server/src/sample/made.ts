import type { StoredValue, ValueKind } from '@kith/contract/field-type'
import { type Calendar, type Chance, shuffled } from './chance.ts'
import { firstNames, independents, lastNames, leaders, owners, staff } from './words.ts'

/** The facts about a company that later records use. */
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
export type SampleRecords = {
  calendar: Calendar
  user_id: string
  companies: Company[]
  people: Person[]
  deals: Deal[]
}

/** One record to make. */
export type SampleRequest = {
  made: SampleRecords
  chance: Chance
  id: string
  at: number
  /** Different for every record of the resource, so that unique values differ. */
  number: number
  /** Whether later records may refer to it. Limited if there are many, so that memory is bounded. */
  isRemembered: boolean
  /** Selects the names of companies. */
  seed: number
  /** Whether the workspace had records of the resource before. */
  isLater: boolean
}

/** The content of a record. Values of other fields are generated. */
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
export function pickCompany({ made, at, chance }: SampleRequest): Company | undefined {
  const one = pickBefore(made.companies, at, chance)
  const other = pickBefore(made.companies, at, chance)
  return one && other && other.employees > one.employees ? other : one
}

/** A working time after a record was made, or that time itself for a record that has never changed. */
export function laterOrSame({ made, at, chance }: SampleRequest): number {
  if (chance.oneIn(2)) return at
  return Math.max(at, made.calendar.at(chance.fraction()))
}

export function idsOf(...records: readonly ({ id: string } | undefined)[]): string[] {
  return records.flatMap((record) => (record ? [record.id] : []))
}

const CONTACTS_MAX = 3

const OWNED_MAX = 25

/** An odd number that spreads neighbouring numbers over all bits. */
const SPREAD = 0x9e3779b1

export function draftPerson(wanted: SampleRequest): Draft {
  const { made, chance, id, at, number } = wanted
  const company = chance.oneIn(12) ? undefined : pickCompany(wanted)
  const { name, handle, address } = identityOf(wanted, company)
  const title = titleOf(wanted, company)
  const person: Person = { id, at, name, title, company, deal: undefined }
  if (company) {
    company.people += 1
    if (company.contacts.length < CONTACTS_MAX) company.contacts.push(person)
  }
  if (wanted.isRemembered) made.people.push(person)
  return {
    label: name,
    updated: laterOrSame(wanted),
    related: { company_id: company ? [company.id] : [] },
    values: {
      emails: { Emails: [address] },
      phone_number: { Phones: [phoneOf(number)] },
      job_title: { Text: title },
      linkedin: { Links: [`https://www.linkedin.com/in/${handle.replace('.', '-')}-${number}`] },
    },
  }
}

const names = firstNames.length * lastNames.length

const named = (name: string) => ({ name, handle: lettersOf(name) })

const firsts = firstNames.map(named)

const lasts = lastNames.map(named)

/** Two people of one company have different names, and different addresses even where all names are used up. */
function identityOf({ number, seed }: SampleRequest, company: Company | undefined) {
  const nth = company?.people ?? number
  const place = shuffled(nth % names, names, company ? seed ^ Math.imul(company.number + 1, SPREAD) : seed)
  const first = firsts[place % firsts.length]
  const last = lasts[Math.floor(place / firsts.length)]
  if (!first || !last) throw new Error(`No name has the place ${place}.`)
  const handle = `${first.handle}.${last.handle}`
  const round = Math.floor(nth / names)
  const address = company
    ? `${handle}${round === 0 ? '' : round + 1}@${company.domain}`
    : `${handle}.${number}@mail.example`
  return { name: `${first.name} ${last.name}`, handle, address }
}

export function lettersOf(name: string): string {
  return name
    .normalize('NFD')
    .toLowerCase()
    .replace(/[^a-z]/g, '')
}

/** A company has at most one person in each of the leading positions. */
function titleOf({ chance }: SampleRequest, company: Company | undefined): string {
  if (!company) return chance.pick(independents)
  const { people, employees } = company
  const isSmall = employees <= OWNED_MAX
  if (people === 0 && isSmall) return chance.pick(owners)
  const leader = isSmall || chance.oneIn(2) ? undefined : leaders[people]
  return leader ?? chance.pick(staff)
}

const areas = [212, 312, 415, 512, 617, 702, 773, 808, 904, 971]

const PER_AREA = 10_000

/** A different number for each person: first all numbers of 555 in each area, then of 556, and so on. */
export function phoneOf(number: number): string {
  const round = Math.floor(number / PER_AREA)
  const exchange = 555 + Math.floor(round / areas.length)
  const last = shuffled(number % PER_AREA, PER_AREA, 1)
  return `+1${areas[round % areas.length]}${exchange}${String(last).padStart(4, '0')}`
}
