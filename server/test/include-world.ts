import { registry } from '@kith/contract/registry'
import { stock } from './lists.ts'
import { type Specified, specified } from './specified.ts'
import { newWorkspace, type Person, type TestWorkspace } from './workspace.ts'

export type Identifier = { id: string; type: string }
export type Linkage = Identifier | Identifier[] | null

/**
 * A workspace in which one record of each resource is related to all it can be related to, and one to nothing but its
 * creator.
 */
export type World = {
  workspace: TestWorkspace
  member: Person
  people: [string, string]
  deals: [string, string]
  full: Record<Specified, string>
  bare: Record<Specified, string>
  /** What each relation of the full record holds. */
  linkage: Record<Specified, Record<string, Linkage>>
  /** What each count of the full record shows, by the name of its include. */
  counts: Record<Specified, Record<string, number>>
}

export async function newWorld(making: Promise<TestWorkspace> = newWorkspace()): Promise<World> {
  const workspace = await making
  const { owner } = workspace
  const member = await workspace.member('member')
  const made = (type: Specified, body: object) => stock(workspace, type, [{ ...body }]).then(([id = '']) => id)
  const company = await made('companies', {
    name: 'Acme',
    account_owner_id: member.id,
    custom_fields: { domains: ['acme.example'], icp: true },
  })
  const ada = await made('people', {
    name: 'Ada',
    company_id: company,
    custom_fields: { emails: ['ada@acme.example'] },
  })
  const bob = await made('people', { name: 'Bob', company_id: company })
  const deal = await made('opportunities', {
    name: 'Deal',
    company_id: company,
    contact_id: ada,
    custom_fields: { stage: 'Proposal', amount: 12.5 },
  })
  const second = await made('opportunities', { name: 'Second deal', company_id: company })
  const links = { company_ids: [company], people_ids: [ada, bob], opportunity_ids: [deal] }
  const task = await made('tasks', { title: 'Call', ...links, assignee_ids: [owner.id, member.id] })
  const note = await made('notes', { title: 'Minutes', ...links })
  const bare: Partial<Record<Specified, string>> = {}
  for (const type of specified) bare[type] = await made(type, { [registry[type].label]: 'Bare' })

  const one = (type: string, id: string): Identifier => ({ id, type })
  const many = (type: string, ...ids: string[]) => ids.sort().map((id) => one(type, id))
  const creator = one('users', owner.id)
  const linked = {
    companies: many('companies', company),
    people: many('people', ada, bob),
    opportunities: many('opportunities', deal),
  }
  const linkedCounts = { companiesCount: 1, peopleCount: 2, opportunitiesCount: 1 }
  return {
    workspace,
    member,
    people: [ada, bob],
    deals: [deal, second],
    full: { companies: company, people: ada, opportunities: deal, tasks: task, notes: note },
    // Every resource was gone through above.
    bare: bare as World['bare'],
    linkage: {
      companies: {
        creator,
        accountOwner: one('users', member.id),
        people: many('people', ada, bob),
        opportunities: many('opportunities', deal, second),
      },
      people: { creator, company: one('companies', company) },
      opportunities: { creator, company: one('companies', company), contact: one('people', ada) },
      tasks: { creator, assignees: many('users', owner.id, member.id), ...linked },
      notes: { creator, ...linked },
    },
    counts: {
      companies: { peopleCount: 2, opportunitiesCount: 2, tasksCount: 1, notesCount: 1 },
      people: { tasksCount: 1, notesCount: 1 },
      opportunities: { tasksCount: 1, notesCount: 1 },
      tasks: { assigneesCount: 2, ...linkedCounts },
      notes: linkedCounts,
    },
  }
}
