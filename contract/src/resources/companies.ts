import { creator, declare, reference, requiredText, stamps } from '../declare.ts'

export const companies = declare({
  type: 'companies',
  number: 1,
  one: 'company',
  about: 'Organisations, with the people and opportunities that belong to them.',
  attributes: { name: requiredText(), account_owner_id: reference('users'), ...stamps },
  links: {},
  relations: {
    creator,
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
})
