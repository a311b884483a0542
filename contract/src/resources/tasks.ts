import type { Resource } from '../resource.ts'

export const tasks = {
  type: 'tasks',
  one: 'task',
  label: 'title',
  references: {},
  links: {
    company_ids: { to: 'companies', relation: 'companies' },
    people_ids: { to: 'people', relation: 'people' },
    opportunity_ids: { to: 'opportunities', relation: 'opportunities' },
    assignee_ids: { to: 'users', relation: 'assignees' },
  },
  relations: {
    creator: { kind: 'reference', to: 'users', column: 'creator_id' },
    assignees: { kind: 'linked', to: 'users' },
    companies: { kind: 'linked', to: 'companies' },
    people: { kind: 'linked', to: 'people' },
    opportunities: { kind: 'linked', to: 'opportunities' },
  },
  counts: {
    assigneesCount: { attribute: 'assignees_count', of: 'relation', relation: 'assignees' },
    companiesCount: { attribute: 'companies_count', of: 'relation', relation: 'companies' },
    peopleCount: { attribute: 'people_count', of: 'relation', relation: 'people' },
    opportunitiesCount: { attribute: 'opportunities_count', of: 'relation', relation: 'opportunities' },
  },
  assignable: true,
} as const satisfies Resource
