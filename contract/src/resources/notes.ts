import type { Resource } from '../resource.ts'

export const notes = {
  type: 'notes',
  one: 'note',
  label: 'title',
  references: {},
  links: {
    company_ids: { to: 'companies', relation: 'companies' },
    people_ids: { to: 'people', relation: 'people' },
    opportunity_ids: { to: 'opportunities', relation: 'opportunities' },
  },
  relations: {
    creator: { kind: 'reference', to: 'users', column: 'creator_id' },
    companies: { kind: 'linked', to: 'companies' },
    people: { kind: 'linked', to: 'people' },
    opportunities: { kind: 'linked', to: 'opportunities' },
  },
  counts: {
    companiesCount: { attribute: 'companies_count', of: 'relation', relation: 'companies' },
    peopleCount: { attribute: 'people_count', of: 'relation', relation: 'people' },
    opportunitiesCount: { attribute: 'opportunities_count', of: 'relation', relation: 'opportunities' },
  },
  assignable: false,
} as const satisfies Resource
