import { creator, declare, requiredText, stamps } from '../declare.ts'

export const tasks = declare({
  type: 'tasks',
  number: 4,
  one: 'task',
  about: 'What is to be done, by whom, for which records.',
  attributes: { title: requiredText(), ...stamps },
  links: {
    company_ids: { to: 'companies', relation: 'companies' },
    people_ids: { to: 'people', relation: 'people' },
    opportunity_ids: { to: 'opportunities', relation: 'opportunities' },
    assignee_ids: { to: 'users', relation: 'assignees' },
  },
  relations: {
    creator,
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
})
