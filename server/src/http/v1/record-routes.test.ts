import { describe, expect, it } from 'vitest'
import { isShortList } from './record-routes.ts'

describe('a list is short', () => {
  it.each([
    '',
    'per_page=25',
    'page=10',
    'page=2&per_page=15',
    'cursor=true',
    'cursor=WzAsIjAx_-',
    'sort=-name',
    'sort=updated_at&page=3',
  ])('%s', (query) => expect(isShortList(query)).toBe(true))
})

describe('a list may be long', () => {
  it.each([
    'per_page=26',
    'page=11',
    'page=5000',
    'filter[name][$contains]=a',
    'filter%5Bname%5D=a',
    'sort=custom_fields.stage',
    'sort=stage',
    'sort=name,stage',
    'include=people',
    'fields=name&filter[name][$eq]=a',
    '&',
    'page=',
    'cursor=%74rue',
  ])('%s', (query) => expect(isShortList(query)).toBe(false))
})
