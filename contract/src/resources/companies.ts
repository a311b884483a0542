import type { Resource } from '../resource.ts'

export const companies = {
  type: 'companies',
  one: 'company',
  label: 'name',
  references: { account_owner_id: { to: 'users' } },
  links: {},
  relations: {
    creator: { kind: 'reference', to: 'users', column: 'creator_id' },
    accountOwner: { kind: 'reference', to: 'users', column: 'account_owner_id' },
    people: { kind: 'referring', to: 'people', column: 'company_id' },
    opportunities: { kind: 'referring', to: 'opportunities', column: 'company_id' },
  },
  counts: {
    peopleCount: { attribute: 'people_count', of: 'relation', relation: 'people' },
    opportunitiesCount: { attribute: 'opportunities_count', of: 'relation', relation: 'opportunities' },
    tasksCount: { attribute: 'tasks_count', of: 'linking', from: 'tasks' },
    notesCount: { attribute: 'notes_count', of: 'linking', from: 'notes' },
  },
  assignable: false,
} as const satisfies Resource
