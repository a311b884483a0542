import type { Resource } from '../resource.ts'

export const opportunities = {
  type: 'opportunities',
  one: 'opportunity',
  label: 'name',
  references: { company_id: { to: 'companies' }, contact_id: { to: 'people' } },
  links: {},
  relations: {
    creator: { kind: 'reference', to: 'users', column: 'creator_id' },
    company: { kind: 'reference', to: 'companies', column: 'company_id' },
    contact: { kind: 'reference', to: 'people', column: 'contact_id' },
  },
  counts: {
    tasksCount: { attribute: 'tasks_count', of: 'linking', from: 'tasks' },
    notesCount: { attribute: 'notes_count', of: 'linking', from: 'notes' },
  },
  assignable: false,
} as const satisfies Resource
