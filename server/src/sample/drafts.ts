import { registry } from '@kith/contract/registry'
import type { ResourceName } from '@kith/contract/resource'
import { companyName, draftCompany } from './companies.ts'
import { type Draft, idsOf, laterOrSame, pickBefore, type Wanted } from './made.ts'
import { draftNote } from './notes.ts'
import { draftDeal } from './opportunities.ts'
import { draftPerson } from './people.ts'
import { draftTask } from './tasks.ts'

type Maker = {
  draft(wanted: Wanted): Draft
  /** The time of a record as a fraction of the year, from how many of the records are made before it. */
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

export function makerOf(type: ResourceName): Maker {
  return makers[type] ?? { draft: (wanted) => draftPlain(type, wanted), pace: (fraction) => fraction }
}

function recent(fraction: number, power: number): number {
  return 1 - (1 - fraction) ** power
}

/** A resource that has no maker: a name, and references to records of the others. */
function draftPlain(type: ResourceName, wanted: Wanted): Draft {
  const { made, at, chance, number } = wanted
  const { references, links } = registry[type]
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
