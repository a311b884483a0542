import { resourceIn } from '@kith/contract/resource'
import { expect, it } from 'vitest'
import { propertiesOf } from '../../properties/property.ts'
import { isEditable } from '../../properties/property-view.ts'
import { schema } from '../import/columns/test-schema.ts'
import { columnsOf, hasHeader, readRow, settingsOf } from './table-columns.ts'

const people = resourceIn(schema, 'people')
const deals = resourceIn(schema, 'opportunities')

function mapped(rows: readonly string[][], resource = people, visible: readonly string[] = []) {
  const all = propertiesOf(resource)
  const properties = all.filter(isEditable)
  const header = hasHeader(rows, properties, resource)
  const shown = visible.flatMap((key) => all.filter((one) => one.key === key))
  return { header, columns: columnsOf(rows, { header, properties, visible: shown, resource }) }
}

it('columns are found by their names, those of other programs as well', () => {
  const rows = [['Full name', 'E-Mail', 'Company', 'Nickname', 'Job title', 'Email'], []]
  const columns = ['name', 'custom_fields.emails', 'company_id', null, 'custom_fields.job_title', null]
  expect(mapped(rows)).toEqual({ header: true, columns })
})

it('without a header they are those of the list', () => {
  const rows = [
    ['Ada', 'Analyst', 'today', 'more'],
    ['Grace', 'Admiral', '', ''],
  ]
  const visible = ['name', 'custom_fields.job_title', 'created_at']
  expect(mapped(rows, people, visible)).toEqual({
    header: false,
    columns: ['name', 'custom_fields.job_title', null, null],
  })
})

const named = new Map([
  [
    'company_id',
    new Map([
      ['acme', ['01c00000000000000000000001']],
      ['borg', ['a', 'b']],
    ]),
  ],
])

function read(cells: string[], keys: readonly string[], resource = people) {
  const columns = keys.map((key) => propertiesOf(resource).find((one) => one.key === key))
  return readRow(cells, { resource, columns, settings: settingsOf([cells], columns, resource), named })
}

it('a row becomes a record, with references by name', () => {
  const keys = ['name', 'company_id', 'custom_fields.emails']
  const { data, problems } = read(['Ada', 'ACME', 'ada@example.com;lovelace@example.com'], keys)
  expect(problems).toEqual(new Map())
  expect(data).toEqual({
    name: 'Ada',
    company_id: '01c00000000000000000000001',
    custom_fields: { emails: ['ada@example.com', 'lovelace@example.com'] },
  })
  const amounts = read(
    ['Renewal', '1.234,50', '24.12.2026', 'won'],
    ['name', ...['amount', 'close_date', 'stage'].map((code) => `custom_fields.${code}`)],
    deals,
  )
  expect(amounts.data.custom_fields).toMatchObject({ amount: '1234.50', close_date: '2026-12-24' })
})

it.each([
  [['', 'Acme', ''], 0, /required/],
  [['Ada', 'Nobody', ''], 1, /Nothing is called “Nobody”/],
  [['Ada', 'Borg', ''], 1, /More than one is called “Borg”/],
  [['Ada', '', 'no address'], 2, /email/i],
])('the cells of %j have a problem in column %i', (cells, column, told) => {
  const { problems } = read(cells, ['name', 'company_id', 'custom_fields.emails'])
  expect([...problems.keys()]).toEqual([column])
  expect(problems.get(column)?.join()).toMatch(told)
})
