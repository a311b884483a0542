import { creator, declare, reference, requiredText, stamps } from '../declare.ts'

export const opportunities = declare({
  type: 'opportunities',
  number: 3,
  one: 'opportunity',
  about: 'Deals with a company, on their way through stages.',
  attributes: { name: requiredText(), company_id: reference('companies'), contact_id: reference('people'), ...stamps },
  links: {},
  relations: {
    creator,
    company: { kind: 'reference', to: 'companies', column: 'company_id' },
    contact: { kind: 'reference', to: 'people', column: 'contact_id' },
  },
  counts: {
    tasksCount: { attribute: 'tasks_count', of: 'linking', from: 'tasks' },
    notesCount: { attribute: 'notes_count', of: 'linking', from: 'notes' },
  },
  assignable: false,
})
