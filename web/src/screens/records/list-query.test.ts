import { describe, expect, it } from 'vitest'
import { searchFilter } from './list-query.ts'

describe('the search of a list as a filter', () => {
  it('is nothing while nothing is typed', () => {
    expect(searchFilter('people', undefined)).toBeUndefined()
    expect(searchFilter('people', '  ')).toBeUndefined()
  })

  it('is what the search over everything finds', () => {
    expect(searchFilter('people', ' byron ada ')).toEqual({ $search: 'byron ada' })
  })

  it('looks in names for what has no words, or more than a search takes', () => {
    expect(searchFilter('companies', '!!!')).toEqual({ name: { $contains: '!!!' } })
    expect(searchFilter('notes', 'x'.repeat(256))).toEqual({ title: { $contains: 'x'.repeat(256) } })
  })
})
