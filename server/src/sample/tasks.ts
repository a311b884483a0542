import { DAY_MS } from '@kith/contract/limits'
import { appointment, workday } from './calendar.ts'
import { type Deal, type Draft, idsOf, type Person, pickBefore, type Wanted } from './made.ts'
import { dealTasks, personTasks, taskDetails, teamTasks } from './words.ts'

const OVERDUE_DAYS = 14

export function draftTask(wanted: Wanted): Draft {
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

/** What to do, before the name of the person, and more about it. */
function taskFor({ chance }: Wanted, person: Person | undefined, deal: Deal | undefined): [string, string] {
  if (!person) return [chance.pick(teamTasks), 'For the next team meeting.']
  const details = chance.pick(taskDetails)
  if (deal) return [chance.pick(dealTasks), `About the ${deal.kind} for ${deal.company.name}. ${details}`]
  const where = person.company ? ` at ${person.company.name}` : ''
  return [chance.pick(personTasks), `${person.name}, ${person.title}${where}. ${details}`]
}

/** Due within three weeks. Most tasks that were due are done, and only recent ones are late. */
function progressOf({ made, chance, at }: Wanted) {
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
