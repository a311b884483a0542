import { describe, expect, it } from 'vitest'
import { suggestionsFor } from './suggest.ts'

describe('the name of a resource suggests', () => {
  it.each([
    ['Projects', 'Project'],
    ['  Sales orders ', 'Sales order'],
    ['Properties', 'Property'],
    ['Boxes', 'Box'],
    ['Addresses', 'Address'],
    ['Branches', 'Branch'],
    ['Bonuses', 'Bonus'],
    ['Houses', 'House'],
    ['Clauses', 'Clause'],
    ['Salespeople', 'Salesperson'],
    ['Children', 'Child'],
    ['VIPs', 'VIP'],
    ['Series', 'Series'],
    ['Analysis', 'Analysis'],
    ['Projekte', 'Projekte'],
    ['案件', '案件'],
    ['', ''],
  ])('of %j the name of one, %j', (name, singular) => {
    expect(suggestionsFor(name).singular).toBe(singular)
  })

  it('codes, which differ', () => {
    expect(suggestionsFor('Sales orders')).toMatchObject({ code: 'sales_orders', singular_code: 'sales_order' })
    expect(suggestionsFor('Series')).toMatchObject({ code: 'series', singular_code: 'series_record' })
  })

  it('an icon that is about the same', () => {
    expect(suggestionsFor('Invoices').icon).toBe('receipt')
    expect(suggestionsFor('Service contracts').icon).toBe('file')
    expect(suggestionsFor('Carpets').icon).toBe('box')
  })
})
