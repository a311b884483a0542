import { creator, declare, requiredText, stamps } from '../declare.ts'

export const notes = declare({
  type: 'notes',
  number: 5,
  one: 'note',
  about: 'What was said and seen, linked to the records it is about.',
  attributes: { title: requiredText(), ...stamps },
  links: {
    company_ids: { to: 'companies', relation: 'companies' },
    people_ids: { to: 'people', relation: 'people' },
    opportunity_ids: { to: 'opportunities', relation: 'opportunities' },
  },
  relations: {
    creator,
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
})
