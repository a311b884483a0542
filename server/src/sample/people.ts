import { shuffled } from './chance.ts'
import { type Company, type Draft, laterOrSame, type Person, pickCompany, type Wanted } from './made.ts'
import { firstNames, independents, lastNames, leaders, owners, staff } from './words.ts'

const CONTACTS_MAX = 3
const OWNED_MAX = 25
/** An odd number that spreads neighbouring numbers over all bits. */
const SPREAD = 0x9e3779b1

export function draftPerson(wanted: Wanted): Draft {
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
function identityOf({ number, seed }: Wanted, company: Company | undefined) {
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
function titleOf({ chance }: Wanted, company: Company | undefined): string {
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
