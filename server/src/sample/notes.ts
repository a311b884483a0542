import { DAY_MS, HOUR_MS } from '@kith/contract/limits'
import type { Chance } from './chance.ts'
import { type Deal, type Draft, idsOf, type Person, pickBefore, type Wanted } from './made.ts'
import { meetings, sentences, teamNotes } from './words.ts'

const grouped = new Intl.NumberFormat('en')

export function draftNote(wanted: Wanted): Draft {
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
