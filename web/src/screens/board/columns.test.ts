import { aField, someOptions } from '@kith/contract/field-types/test-field'
import { expect, it } from 'vitest'
import type { ApiRecord, SummaryGroup } from '../../api/records.ts'
import { changeTo, columnFilter, columnIn, columnsOf, leftOut, valueIn } from './columns.ts'

const stage = aField('select', { code: 'stage', name: 'Stage', options: someOptions('Lead', 'Won') })
const owner = aField('member', { code: 'owner', name: 'Owner', multiple: false })
const client = aField('record', { code: 'client', name: 'Client', multiple: false, settings: { target: 'companies' } })

const group = (key: string | null, label: string, count: number): SummaryGroup => ({ key, label, count, value: count })
const labels = (...[field, known]: Parameters<typeof columnsOf>) => columnsOf(field, known).map(({ label }) => label)
const holding = (custom_fields: object) => ({ attributes: { custom_fields } }) as ApiRecord

it('the columns of a choice are its options in their order, and those of a reference the records that are named', () => {
  const groups = [group('b', 'Birch', 9), group('a', 'Alder', 1), group(null, 'Empty', 4)]
  expect(labels(stage, { groups, members: [] })).toEqual(['Lead', 'Won', 'No stage'])
  expect(labels(client, { groups, members: [{ id: 'm', name: 'Mei' }] })).toEqual(['Alder', 'Birch', 'No client'])
})

it('every member has a column, also without records', () => {
  const members = [
    { id: 'm', name: 'Mei' },
    { id: 'j', name: 'Jonas' },
  ]
  expect(labels(owner, { groups: [group('m', 'Mei', 3)], members })).toEqual(['Jonas', 'Mei', 'No owner'])
})

it('the records that are named most have columns, and the others are counted', () => {
  const many = Array.from({ length: 60 }, (_, place) => group(`c${place}`, `Company ${place}`, 100 - place))
  const groups = [...many, group('other', 'Other', 7), group(null, 'Empty', 5)]
  const columns = columnsOf(client, { groups, members: [] })
  expect(columns).toHaveLength(51)
  expect(leftOut(groups, columns)).toBe(many.slice(50).reduce((sum, { count }) => sum + count, 7))
})

it('a column finds its records, and gives them its value', () => {
  const columns = columnsOf(client, { groups: [group('a', 'Alder', 1)], members: [] })
  const [alder, none] = columns
  if (!alder || !none) throw new Error('A column is missing.')
  expect(columnFilter(client, alder)).toEqual({ custom_fields: { client: { $in: ['a'] } } })
  expect(columnFilter(client, none)).toEqual({ custom_fields: { client: { $is_empty: true } } })
  expect(changeTo(client, alder.value)).toEqual({
    input: { custom_fields: { client: { id: 'a', type: 'companies' } } },
    shown: { custom_fields: { client: { id: 'a', type: 'companies' } } },
    relationships: { 'custom_fields.client': { data: { id: 'a', type: 'companies' } } },
    included: [{ id: 'a', type: 'companies', attributes: { name: 'Alder' } }],
  })
  expect(changeTo(client, null).input).toEqual({ custom_fields: { client: null } })
  expect(columnIn(holding({ client: { id: 'a', type: 'companies' } }), client)).toBe('a')
  expect(columnIn(holding({ client: null }), client)).toBe('empty')
  expect(valueIn(holding({ client: { id: 'a', type: 'companies' } }), client, columns)).toEqual(alder.value)
  expect(valueIn(holding({ client: { id: 'z', type: 'companies' } }), client, columns)).toMatchObject({ id: 'z' })
})
