import type { WireValue } from '@kith/contract/field-type'
import { aField, someOptions } from '@kith/contract/field-types/test-field'
import { expect, it } from 'vitest'
import type { Property } from '../../../properties/property.ts'
import { REST } from './folding.ts'
import { moveTo } from './move-to-group.ts'

const stage = aField('select', { code: 'stage', options: someOptions('Lead', 'Won') })
const [lead, won] = stage.options

function rowOf(custom_fields: Record<string, WireValue>, company?: string) {
  const data = company === undefined ? null : { id: company, type: 'companies' }
  const attributes = { name: 'Renewal', created_at: '', updated_at: '', creation_source: 'web', custom_fields }
  const included = new Map([['companies a', { id: 'a', type: 'companies', attributes: { name: 'Acme' } }]])
  return { record: { id: 'r', type: 'opportunities', attributes, relationships: { company: { data } } }, included }
}

const custom = (field: ReturnType<typeof aField>): Property => ({ kind: 'custom', key: field.code, label: 'It', field })
const group = (key: string | null, label: string) => ({ key, label, count: 1, filter: {}, color: null })

it('a choice is set, with the way back', () => {
  const move = moveTo(
    rowOf({ stage: { id: lead?.id ?? '', label: 'Lead' } }),
    custom(stage),
    group(won?.id ?? '', 'Won'),
  )
  expect(move?.change.input).toEqual({ custom_fields: { stage: { id: won?.id, label: 'Won' } } })
  expect(move?.told).toMatchObject({
    message: 'Moved Renewal to Won',
    undo: { input: { custom_fields: { stage: { label: 'Lead' } } } },
  })
})

it('a checkbox and a reference are set, and an empty group clears them', () => {
  const flag = custom(aField('checkbox', { code: 'hot' }))
  expect(moveTo(rowOf({ hot: false }), flag, group('true', 'Yes'))?.change.input).toEqual({
    custom_fields: { hot: true },
  })
  const company: Property = {
    ...{ kind: 'reference', key: 'company_id', attribute: 'company_id', include: 'company' },
    ...{ to: 'companies', label: 'Company' },
  }
  expect(moveTo(rowOf({}, 'a'), company, group('b', 'Borg'))?.change.input).toEqual({ company_id: 'b' })
  const cleared = moveTo(rowOf({}, 'a'), company, group(null, 'No company'))
  expect(cleared?.change.input).toEqual({ company_id: null })
  expect(cleared?.told.undo.input).toEqual({ company_id: 'a' })
})

it('what is in the group already, in several groups, or required cannot be moved', () => {
  expect(moveTo(rowOf({}), custom(stage), group(null, 'No stage'))).toBeUndefined()
  for (const key of ['other', REST]) expect(moveTo(rowOf({}), custom(stage), group(key, 'Some'))).toBeUndefined()
  const many = aField('multi-select', { code: 'stage', options: stage.options })
  expect(moveTo(rowOf({}), custom(many), group(won?.id ?? '', 'Won'))).toBeUndefined()
  const required = custom({ ...stage, required: true })
  expect(moveTo(rowOf({ stage: { id: 'x', label: 'X' } }), required, group(null, 'No stage'))).toBeUndefined()
})
