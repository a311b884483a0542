import { describe, expect, it } from 'vitest'
import { registry } from '../registry.ts'
import { searchFilter } from './search-filter.ts'

describe('the search of a list as a filter', () => {
  it('is nothing while nothing is typed', () => {
    expect(searchFilter(registry.people, undefined)).toBeUndefined()
    expect(searchFilter(registry.people, '  ')).toBeUndefined()
  })

  it('is what the search over everything finds', () => {
    expect(searchFilter(registry.people, ' byron ada ')).toEqual({ $search: 'byron ada' })
  })

  it('looks in names for what has no words, or more than a search takes', () => {
    expect(searchFilter(registry.companies, '!!!')).toEqual({ name: { $contains: '!!!' } })
    expect(searchFilter(registry.notes, 'x'.repeat(256))).toEqual({ title: { $contains: 'x'.repeat(256) } })
  })
})
