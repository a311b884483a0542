import { expect, it } from 'vitest'
import { related } from './related.ts'

const ada = { id: '1', type: 'users' as const, attributes: { email: 'ada@example.com' } }
const acme = { id: '1', type: 'companies' as const, attributes: { name: 'Acme' } }
const beta = { id: '2', type: 'companies' as const, attributes: { name: 'Beta' } }
const document = { included: [ada, acme, beta] }

it('finds the record of a relation to one', () => {
  const record = { relationships: { creator: { data: { id: '1', type: 'users' as const } } } }
  expect(related(document, record, 'creator')).toBe(ada)
})

it('finds the records of a relation to many in its order', () => {
  const data = [beta, acme].map(({ id, type }) => ({ id, type }))
  expect(related(document, { relationships: { companies: { data } } }, 'companies')).toEqual([beta, acme])
})

it('finds null or nothing where the relation is empty', () => {
  expect(related(document, { relationships: { company: { data: null } } }, 'company')).toBeNull()
  expect(related({}, { relationships: { companies: { data: [] } } }, 'companies')).toEqual([])
})
