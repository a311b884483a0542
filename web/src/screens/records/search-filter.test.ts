import type { FieldTypeName } from '@kith/contract/field-type-name'
import { describe, expect, it } from 'vitest'
import type { Field } from '../../api/fields.ts'
import { searchFilter } from './search-filter.ts'

function field(code: string, type: FieldTypeName): Field {
  const rules = { required: false, unique: false, multiple: true, max_values: 20, position: 0 }
  const rest = { description: null, settings: {}, options: [], created_at: '', updated_at: '' }
  return { id: code, entity_type: 'people', code, name: code, type, ...rules, ...rest }
}

const fields = [
  field('emails', 'email'),
  field('phone_number', 'phone'),
  field('domains', 'domain'),
  field('job_title', 'text'),
]

describe('the quick search as a filter', () => {
  it('is nothing while nothing is typed', () => {
    expect(searchFilter('people', undefined, fields)).toBeUndefined()
    expect(searchFilter('people', '  ', fields)).toBeUndefined()
  })

  it('looks in names alone for what can be nothing else', () => {
    expect(searchFilter('people', ' ada ', fields)).toEqual({ name: { $contains: 'ada' } })
    expect(searchFilter('people', 'example.', fields)).toEqual({ name: { $contains: 'example.' } })
    expect(searchFilter('notes', '2026', [])).toEqual({ title: { $contains: '2026' } })
  })

  it.each([
    ['ada@example.com', 'emails'],
    ['+49 (30) 1234-5', 'phone_number'],
    ['example.com', 'domains'],
  ])('looks for %s in names and in the fields that can hold it', (text, code) => {
    expect(searchFilter('people', text, fields)).toEqual({
      $or: [{ name: { $contains: text } }, { custom_fields: { [code]: { $has_any: [text] } } }],
    })
  })
})
