import type { FieldTypeName } from '@kith/contract/field-type-name'
import { describe, expect, it } from 'vitest'
import { draftOf, inputOf } from './field-draft.ts'

describe('a new field', () => {
  it('sends what its type has, and nothing else', () => {
    const keys = (type: FieldTypeName, changes = {}) =>
      Object.keys(inputOf(type, { ...draftOf(type, undefined), ...changes })).filter(
        (key) => !['name', 'description', 'required'].includes(key),
      )
    expect(keys('text')).toEqual(['unique', 'settings'])
    expect(keys('currency')).toEqual(['settings'])
    expect(keys('select')).toEqual(['options'])
    expect(keys('tags-input')).toEqual(['unique', 'max_values'])
    expect(keys('email')).toEqual(['unique', 'multiple'])
    expect(keys('email', { multiple: true })).toEqual(['unique', 'multiple', 'max_values'])
    expect(keys('date')).toEqual([])
    expect(keys('record', { target: 'companies' })).toEqual(['multiple', 'target', 'inverse'])
    expect(keys('member', { multiple: true })).toEqual(['multiple', 'max_values'])
  })

  it('sends the relation in return by name, or that there is none', () => {
    const draft = { ...draftOf('record', undefined), target: 'companies', inverse_name: 'Projects' }
    expect(inputOf('record', draft)).toMatchObject({ target: 'companies', inverse: { name: 'Projects' } })
    expect(inputOf('record', { ...draft, inverse_code: ' jobs ' }).inverse).toEqual({ name: 'Projects', code: 'jobs' })
    expect(inputOf('record', { ...draft, inverse: false }).inverse).toBeNull()
  })

  it('leaves out options without a label and keeps the ids of those that have one', () => {
    const options = [
      { key: '1', id: 'old', label: 'Gold', color: 'amber' },
      { key: '2', label: '  ', color: 'gray' },
      { key: '3', label: 'Silver', color: 'gray' },
    ]
    const { options: sent } = inputOf('select', { ...draftOf('select', undefined), options })
    expect(sent).toEqual([
      { id: 'old', label: 'Gold', color: 'amber' },
      { label: 'Silver', color: 'gray' },
    ])
  })
})
