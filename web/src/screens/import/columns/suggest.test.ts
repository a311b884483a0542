import { type ResourceName, resourceIn } from '@kith/contract/resource'
import { expect, it } from 'vitest'
import { csvSource } from '../reading/csv-source.ts'
import { scan } from '../reading/scan.ts'
import { sharesValue, suggestTargets } from './suggest.ts'
import { schema } from './test-schema.ts'

async function targetsOf(csv: string, resource: ResourceName): Promise<Record<string, string | null>> {
  const scanned = await scan(await csvSource(new File([csv], 'x.csv')), 0, () => {})
  const targets = suggestTargets(scanned, resourceIn(schema, resource))
  return Object.fromEntries(scanned.header.map((name, index) => [name, targets[index] ?? null]))
}

it('a column of email addresses is offered as Emails, whatever it is called', async () => {
  expect(await targetsOf('Full name,Reach\nAda,ada@a.example\n', 'people')).toEqual({
    'Full name': 'name',
    Reach: 'custom_fields.emails',
  })
  // Other programs call the name of a person so, but these cells are no names.
  expect(await targetsOf('Name,Contact\nAda,ada@a.example\n', 'people')).toEqual({
    Name: 'name',
    Contact: 'custom_fields.emails',
  })
  expect(await targetsOf('Title,Name\nada@a.example,Ada\n', 'people')).toEqual({
    Title: 'custom_fields.emails',
    Name: 'name',
  })
})

it('the name of a field counts more than its cells', async () => {
  expect(await targetsOf('Name,Job title\nAda,ada@a.example\n', 'people')).toEqual({
    Name: 'name',
    'Job title': 'custom_fields.job_title',
  })
})

it('members are offered for addresses and not for names, which would find none', async () => {
  expect(await targetsOf('Company,Owner\nAlder,Ada Lindqvist\n', 'companies')).toEqual({ Company: 'name', Owner: null })
  expect(await targetsOf('Company,Owner\nAlder,ada@a.example\n', 'companies')).toEqual({
    Company: 'name',
    Owner: 'account_owner_id',
  })
})

it('a column whose values are options of one field is offered as this field', async () => {
  expect(await targetsOf('Deal,Where\nMill,won\nLoom,Lead\n', 'opportunities')).toEqual({
    Deal: 'name',
    Where: 'custom_fields.stage',
  })
  expect(await targetsOf('Deal,Where\nMill,won\nLoom,Rome\n', 'opportunities')).toEqual({ Deal: 'name', Where: null })
})

it('the parts of a name are joined, and domains are recognised by their values', async () => {
  expect(await targetsOf('Surname,Given name\nByron,Ada\n', 'people')).toEqual({
    Surname: 'name',
    'Given name': 'name',
  })
  expect(await targetsOf('Organisation,Seen at\nAlder,alder.example\n', 'companies')).toEqual({
    Organisation: 'name',
    'Seen at': 'custom_fields.domains',
  })
})

it('the name of a record is recognised by what the workspace calls one', async () => {
  expect(await targetsOf('Sales order,Owner\nMill,ada@a.example\n', 'sales_orders')).toEqual({
    'Sales order': 'name',
    Owner: 'owner_id',
  })
})

it('records that a field refers to are offered by what their cells hold, and members for addresses', async () => {
  const found = async (customer: string, seller: string) =>
    Object.values(await targetsOf(`Name,Customer,Seller\nMill,${customer},${seller}\n`, 'sales_orders'))
  expect(await found('alder.example', 'ada@a.example')).toEqual([
    'name',
    'custom_fields.customer.domains',
    'custom_fields.seller',
  ])
  expect(await found('Alder Labs', 'Ada Lindqvist')).toEqual(['name', 'custom_fields.customer.name', null])
  expect(await found('01k9zq3v5w8x0y2z4a6b8c0d1e', '')).toEqual(['name', 'custom_fields.customer', null])
  expect(await targetsOf('Name,Customer website\nMill,alder.example\n', 'sales_orders')).toEqual({
    Name: 'name',
    'Customer website': 'custom_fields.customer.domains',
  })
})

it('a value is written by one column, however it names a record', () => {
  expect(sharesValue('custom_fields.customer', 'custom_fields.customer.domains')).toBe(true)
  expect(sharesValue('custom_fields.customer', 'custom_fields.seller')).toBe(false)
  expect(sharesValue('company_id', 'company_id.domains')).toBe(true)
  expect(sharesValue('external_ids.a', 'external_ids.b')).toBe(false)
})
