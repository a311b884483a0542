import { creator, declare, reference, requiredText, stamps } from '../declare.ts'

export const people = declare({
  type: 'people',
  number: 2,
  one: 'person',
  about: 'Contacts, each of one company or of none.',
  attributes: { name: requiredText(), company_id: reference('companies'), ...stamps },
  links: {},
  relations: {
    creator,
    company: { kind: 'reference', to: 'companies', column: 'company_id' },
  },
  counts: {
    tasksCount: { attribute: 'tasks_count', of: 'linking', from: 'tasks' },
    notesCount: { attribute: 'notes_count', of: 'linking', from: 'notes' },
  },
  assignable: false,
})
