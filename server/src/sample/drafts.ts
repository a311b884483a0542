import { DAY_MS, HOUR_MS } from '@kith/contract/limits'
import type { Resource, ResourceName } from '@kith/contract/resource'
import { appointment, type Chance, dateOf, shuffled, workday } from './chance.ts'
import {
  type Company,
  type Deal,
  type Draft,
  draftPerson,
  idsOf,
  laterOrSame,
  type Person,
  pickBefore,
  pickCompany,
  type SampleRequest,
} from './made.ts'
import {
  companyKinds,
  companyWords,
  dealTasks,
  meetings,
  personTasks,
  regions,
  sentences,
  taskDetails,
  teamNotes,
  teamTasks,
} from './words.ts'

/** The products, as a share of the price of the whole product. A company begins with one of the first two. */
const kinds = [
  ['new business', 1],
  ['pilot', 0.15],
  ['expansion', 0.4],
  ['renewal', 1],
  ['training', 0.1],
  ['migration', 0.3],
  ['support plan', 0.2],
] as const

const openStages = [
  'Prospecting',
  'Qualification',
  'Needs Analysis',
  'Value Proposition',
  'Decision Makers',
  'Perception Analysis',
  'Proposal',
  'Negotiation',
] as const

const SHORTEST_DAYS = 14

const SPREAD_DAYS = 140

const grouped = new Intl.NumberFormat('en')

const OVERDUE_DAYS = 14

/** From a handful of people to thousands. Most companies are small. */
const EMPLOYEES_LEAST = 4

const EMPLOYEES_SPREAD = 2000

const words = companyWords.length

const names = words * (words - 1) * companyKinds.length

type Maker = {
  draft(wanted: SampleRequest): Draft
  /** The time of a record as a fraction of the year, from the fraction of the records that are made before it. */
  pace(fraction: number): number
}

/** Records come after those that they refer to. Most tasks and deals are recent. */
const makers: Readonly<Partial<Record<ResourceName, Maker>>> = {
  companies: { draft: draftCompany, pace: (fraction) => fraction ** 1.5 },
  people: { draft: draftPerson, pace: (fraction) => 0.03 + 0.97 * fraction },
  opportunities: { draft: draftDeal, pace: (fraction) => 0.05 + 0.95 * recent(fraction, 1.5) },
  tasks: { draft: draftTask, pace: (fraction) => 0.05 + 0.95 * recent(fraction, 3) },
  notes: { draft: draftNote, pace: (fraction) => 0.05 + 0.95 * recent(fraction, 1.5) },
}

export function makerOf(resource: Resource): Maker {
  return makers[resource.type] ?? { draft: (wanted) => draftPlain(resource, wanted), pace: (fraction) => fraction }
}

function recent(fraction: number, power: number): number {
  return 1 - (1 - fraction) ** power
}

/** A record of a resource without a maker: a name, and references to other records. */
function draftPlain({ references, links }: Resource, wanted: SampleRequest): Draft {
  const { made, at, chance, number } = wanted
  const known: Readonly<Partial<Record<string, readonly { id: string; at: number }[]>>> = {
    companies: made.companies,
    people: made.people,
    opportunities: made.deals,
    users: [{ id: made.user_id, at: 0 }],
  }
  const related = Object.entries({ ...references, ...links }).map(([name, { to }]) => {
    return [name, idsOf(pickBefore(known[to] ?? [], at, chance))] as const
  })
  return {
    label: companyName(number, wanted.seed),
    updated: laterOrSame(wanted),
    related: Object.fromEntries(related),
    values: {},
  }
}

function draftCompany(wanted: SampleRequest): Draft {
  const { made, chance, id, at, number, isLater } = wanted
  const name = companyName(number, wanted.seed)
  const handle = name.toLowerCase().replaceAll(' ', '')
  // An earlier load may have chosen the same name with its seed.
  const unique = isLater ? `${handle}-${number}` : handle
  const domain = `${unique}.example`
  const employees = Math.floor(EMPLOYEES_LEAST * EMPLOYEES_SPREAD ** chance.fraction())
  const company: Company = { id, at, number, name, domain, employees, people: 0, deals: 0, contacts: [] }
  if (wanted.isRemembered) made.companies.push(company)
  return {
    label: name,
    updated: laterOrSame(wanted),
    related: { account_owner_id: chance.oneIn(2) ? [made.user_id] : [] },
    values: {
      domains: { Domains: [domain] },
      linkedin: { Links: [`https://www.linkedin.com/company/${unique}`] },
      employees: { Number: employees },
    },
  }
}

/** Two different words and the business of the company. When all are used, also the region or a number. */
export function companyName(number: number, seed: number): string {
  const place = shuffled(number % names, names, seed)
  const pair = Math.floor(place / companyKinds.length)
  const first = Math.floor(pair / (words - 1))
  const second = (first + 1 + (pair % (words - 1))) % words
  const name = `${companyWords[first]} ${companyWords[second]} ${companyKinds[place % companyKinds.length]}`
  const round = Math.floor(number / names)
  return round === 0 ? name : `${name} ${regions[round - 1] ?? round}`
}

function draftTask(wanted: SampleRequest): Draft {
  const { made, chance, at } = wanted
  const person = chance.oneIn(10) ? undefined : pickBefore(made.people, at, chance)
  const deal = openDealOf(person, at)
  const [what, details] = taskFor(wanted, person, deal)
  const { status, due, updated } = progressOf(wanted)
  return {
    label: person ? `${what} ${person.name}` : what,
    updated,
    related: {
      company_ids: idsOf(person?.company),
      people_ids: idsOf(person),
      opportunity_ids: idsOf(deal),
      assignee_ids: chance.oneIn(4) ? [] : [made.user_id],
    },
    values: {
      status: { Choice: status },
      priority: { Choice: deal && deal.amount > 50_000 ? 'High' : chance.pick(['Low', 'Medium', 'Medium', 'High']) },
      due_date: { DateTime: new Date(due).toISOString() },
      description: { LongText: details },
    },
  }
}

/** A deal that was open when the task was written. */
function openDealOf(person: Person | undefined, at: number): Deal | undefined {
  const deal = person?.deal
  return deal && deal.at <= at && (deal.outcome === 'open' || deal.closes > at) ? deal : undefined
}

/** The text of a task before the name of the person, and further details. */
function taskFor({ chance }: SampleRequest, person: Person | undefined, deal: Deal | undefined): [string, string] {
  if (!person) return [chance.pick(teamTasks), 'For the next team meeting.']
  const details = chance.pick(taskDetails)
  if (deal) return [chance.pick(dealTasks), `About the ${deal.kind} for ${deal.company.name}. ${details}`]
  const where = person.company ? ` at ${person.company.name}` : ''
  return [chance.pick(personTasks), `${person.name}, ${person.title}${where}. ${details}`]
}

/** Due within three weeks. Most tasks that were due are done, and only recent ones are late. */
function progressOf({ made, chance, at }: SampleRequest) {
  const { today } = made.calendar
  const day = workday(at, 1 + chance.below(21))
  const due = appointment(day, chance.fraction())
  const isLate = day >= today - OVERDUE_DAYS * DAY_MS && chance.oneIn(4)
  if (day < today && !isLate) {
    const doneOn = workday(at, chance.fraction() * ((day - at) / DAY_MS))
    return { status: 'Done', due, updated: Math.max(at, doneOn <= day ? appointment(doneOn, chance.fraction()) : at) }
  }
  return chance.oneIn(3)
    ? { status: 'In progress', due, updated: Math.max(at, made.calendar.at(0.98 + chance.fraction() / 50)) }
    : { status: 'To do', due, updated: at }
}

function draftNote(wanted: SampleRequest): Draft {
  const { made, chance, at } = wanted
  const deal = chance.oneIn(3) ? undefined : pickBefore(made.deals, at, chance)
  const person = deal ? deal.contact : pickBefore(made.people, at, chance)
  const company = deal?.company ?? person?.company
  const [title, body] = deal ? dealNote(deal, at, chance) : personNote(person, chance)
  return {
    label: title,
    updated: chance.oneIn(5) ? Math.floor(at + chance.fraction() * (endOfDay(at) - at)) : at,
    related: { company_ids: idsOf(company), people_ids: idsOf(person), opportunity_ids: idsOf(deal) },
    values: { body: { LongText: body } },
  }
}

function dealNote(deal: Deal, at: number, chance: Chance): [title: string, body: string] {
  const { company, kind, outcome, contact } = deal
  const who = contact ? `${contact.name} (${contact.title})` : `the team of ${company.name}`
  const amount = grouped.format(deal.amount)
  const isOver = deal.closes + DAY_MS <= at
  if (outcome === 'won' && isOver) {
    const next = chance.pick(['They start next month.', 'Onboarding is planned.', 'Ask for a reference in spring.'])
    return [`Kick-off: ${company.name}`, `The ${kind} is signed for ${amount}. Met ${who}. ${next}`]
  }
  if (outcome === 'lost' && isOver) {
    const why = chance.pick(['They chose another product.', 'The budget was cut.', 'They stay with what they have.'])
    return [`Why we lost: ${company.name}`, `Spoke with ${who} about the ${kind}. ${why} Ask again next year.`]
  }
  const about = [
    [`Pricing discussion: ${company.name}`, `Offered the ${kind} for ${amount} to ${who}.`],
    [`Next steps: ${company.name}`, `Agreed on the next steps for the ${kind} with ${who}.`],
    [`Requirements: ${company.name}`, `Went through the requirements of the ${kind} with ${who}.`],
  ] as const
  const [title, first] = chance.pick(about)
  return [title, `${first} ${twoSentences(chance)}`]
}

function personNote(person: Person | undefined, chance: Chance): [title: string, body: string] {
  if (!person) return [chance.pick(teamNotes), 'Went through open deals and tasks. Everyone knows what to do next.']
  const { name, title, company } = person
  const [what, how] = chance.pick(meetings)
  const where = company ? ` at ${company.name}` : ''
  return [`${what}: ${company?.name ?? name}`, `${how} ${name}, ${title}${where}. ${twoSentences(chance)}`]
}

function twoSentences(chance: Chance): string {
  const first = chance.below(sentences.length)
  const second = (first + 1 + chance.below(sentences.length - 1)) % sentences.length
  return `${sentences[first]} ${sentences[second]}`
}

/** The end of the working day. */
function endOfDay(at: number): number {
  return Math.floor(at / DAY_MS) * DAY_MS + 17 * HOUR_MS
}

function draftDeal(wanted: SampleRequest): Draft {
  const { made, chance, id, at } = wanted
  const company = pickCompany(wanted)
  const [kind, share] = chance.pick(company?.deals ? kinds.slice(2) : kinds.slice(0, 2))
  const amount = amountOf(company, share, chance)
  const { outcome, closes, stage } = dealProgress(wanted)
  const contact = company?.contacts.find((person) => person.at <= at && !chance.oneIn(3))
  if (company) {
    const deal: Deal = { id, at, kind, amount, company, contact, outcome, closes }
    company.deals += 1
    if (contact) contact.deal = deal
    if (wanted.isRemembered) made.deals.push(deal)
  }
  const name = `${kind.slice(0, 1).toUpperCase()}${kind.slice(1)}`
  return {
    label: company ? `${company.name}: ${kind}` : `${name} for a new customer`,
    updated:
      outcome === 'open' ? Math.max(at, made.calendar.at(0.95 + chance.fraction() / 20)) : closedAt(wanted, closes),
    related: { company_id: idsOf(company), contact_id: idsOf(contact) },
    values: { stage: { Choice: stage }, amount: { Number: amount }, close_date: { Date: dateOf(closes) } },
  }
}

/** The more people a company has, the more it pays. Amounts are round. */
function amountOf(company: Company | undefined, share: number, chance: Chance): number {
  const employees = company?.employees ?? 20
  const price = (1500 + employees * (25 + chance.below(50))) * share
  const step = price < 10_000 ? 100 : price < 100_000 ? 500 : 5000
  return Math.max(500, Math.round(price / step) * step)
}

/** Deals end after weeks or months. A few are late. */
function dealProgress({ made, chance, at }: SampleRequest): Pick<Deal, 'outcome' | 'closes'> & { stage: string } {
  const { today } = made.calendar
  const expected = workday(at, SHORTEST_DAYS + Math.floor(SPREAD_DAYS * chance.fraction() ** 2))
  const isLate = expected < today && chance.oneIn(10)
  if (expected < today && !isLate) {
    const isWon = chance.below(100) < 45
    return { outcome: isWon ? 'won' : 'lost', closes: expected, stage: isWon ? 'Closed Won' : 'Closed Lost' }
  }
  const closes = isLate ? workday(today, chance.below(30) - 7) : expected
  const done = isLate ? 0.99 : (today - at) / (closes + DAY_MS - at)
  const reached = Math.min(0.99, done * (0.7 + chance.fraction() * 0.5))
  return { outcome: 'open', closes, stage: openStages[Math.floor(reached * openStages.length)] ?? 'Prospecting' }
}

/** In working hours of the day on which it was closed. */
function closedAt({ chance }: SampleRequest, closes: number): number {
  return closes + (9 + chance.fraction() * 8) * HOUR_MS
}
