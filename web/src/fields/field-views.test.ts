import { fieldTypeNames } from '@kith/contract/field-type'
import { fieldTypes } from '@kith/contract/field-types'
import { describe, expect, it } from 'vitest'
import { fieldViews } from './field-views.ts'

describe('the view of a field type', () => {
  it.each(fieldTypeNames)('agrees with the contract on sorting: %s', (type) => {
    expect(fieldViews[type].sortable).toBe(fieldTypes[type].sortable)
  })
})
