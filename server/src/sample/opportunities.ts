import { DAY_MS, HOUR_MS } from '@kith/contract/limits'
import { dateOf, workday } from './calendar.ts'
import type { Chance } from './chance.ts'
import { type Company, type Deal, type Draft, idsOf, pickCompany, type Wanted } from './made.ts'

/** What is sold, as a share of the price of the whole product. A company begins with one of the first two. */
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

export function draftDeal(wanted: Wanted): Draft {
  const { made, chance, id, at } = wanted
  const company = pickCompany(wanted)
  const [kind, share] = chance.pick(company?.deals ? kinds.slice(2) : kinds.slice(0, 2))
  const amount = amountOf(company, share, chance)
  const { outcome, closes, stage } = progressOf(wanted)
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
function progressOf({ made, chance, at }: Wanted): Pick<Deal, 'outcome' | 'closes'> & { stage: string } {
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
function closedAt({ chance }: Wanted, closes: number): number {
  return closes + (9 + chance.fraction() * 8) * HOUR_MS
}
