import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { dataOfCells } from '@kith/contract/import/row-data'
import { parseTarget } from '@kith/contract/import/target'
import { type ResourceName, resourceIn } from '@kith/contract/resource'
import { expect, it } from 'vitest'
import { checkDraft } from '../check-draft.ts'
import { planOf } from '../columns/plan.ts'
import { schema } from '../columns/test-schema.ts'
import { choicesOf, startDraft } from '../draft.ts'
import { csvSource } from '../reading/csv-source.ts'
import { cellOf } from '../reading/rewrite.ts'
import { scan } from '../reading/scan.ts'
import { presetFor, presetsFor } from './presets.ts'
import { attio, googleContacts, hubspot, pipedrive, salesforce } from './programs.ts'

async function read(name: string, type: ResourceName) {
  const bytes = readFileSync(join(import.meta.dirname, 'examples', name))
  const source = await csvSource(new File([bytes], name))
  const scanned = await scan(source, 0, () => {})
  const resource = resourceIn(schema, type)
  // Nothing is sent here.
  const file = { name, size: bytes.length, sheets: [], scan: fail, rewrite: fail, close() {} }
  const draft = startDraft(file, { sheet: 0, scanned }, resource)
  const choices = choicesOf(draft, resource)
  const plan = planOf(scanned.header, draft.targets, { resource })
  const rows = scanned.rows.map((row) => {
    const cells = plan.columns.map((column) => cellOf(column, row))
    return dataOfCells(cells, plan.targets, choices).data
  })
  return {
    preset: presetsFor(scanned.header)[0]?.product,
    draft,
    choices,
    rows,
    checked: checkDraft(draft, plan, resource),
  }
}

function fail(): never {
  throw new Error('The file is not sent here.')
}

const files: [file: string, product: string, resource: ResourceName, match: string | null, first: object][] = [
  [
    'hubspot-contacts.csv',
    'HubSpot',
    'people',
    'external_ids.hubspot',
    {
      name: 'Maria Johnson',
      company_id: { match: { field: 'external_ids.hubspot', value: '9001' } },
      external_ids: { hubspot: ['151'] },
      custom_fields: {
        emails: ['maria.johnson@initech.example'],
        phone_number: ['+1 415 555 0137'],
        job_title: 'Head of Purchasing',
      },
    },
  ],
  [
    'hubspot-companies.csv',
    'HubSpot',
    'companies',
    'external_ids.hubspot',
    { name: 'Initech', external_ids: { hubspot: ['9001'] }, custom_fields: { domains: ['initech.example'] } },
  ],
  [
    'pipedrive-people.csv',
    'Pipedrive',
    'people',
    'external_ids.pipedrive',
    {
      name: 'Benjamin Leon',
      company_id: { name: 'Stark Ltd' },
      external_ids: { pipedrive: ['17'] },
      custom_fields: {
        emails: ['ben@stark.example', 'ben.leon@home.example'],
        phone_number: ['+44 20 7946 0011'],
      },
    },
  ],
  [
    'salesforce-contacts.csv',
    'Salesforce',
    'people',
    'external_ids.salesforce',
    {
      name: 'Rose Gonzalez',
      company_id: { match: { field: 'external_ids.salesforce', value: '0015g00000X1yZaAAJ' } },
      external_ids: { salesforce: ['0035g00000A1bCdAAJ'] },
      custom_fields: {
        emails: ['rose@edge.example'],
        phone_number: ['+1 512 757 6000'],
        job_title: 'SVP, Procurement',
      },
    },
  ],
  [
    'attio-companies.csv',
    'Attio',
    'companies',
    'external_ids.attio',
    {
      name: 'Hooli',
      external_ids: { attio: ['0f4c1f0e-5a3a-4e0a-9c57-2b7f6f7a1c11'] },
      custom_fields: {
        domains: ['hooli.example', 'hooli-labs.example'],
        linkedin: ['https://www.linkedin.com/company/hooli'],
      },
    },
  ],
  [
    'google-contacts.csv',
    'Google Contacts',
    'people',
    'emails',
    {
      name: 'Grace Brewster Hopper',
      company_id: { name: 'Navy' },
      custom_fields: {
        emails: ['grace@navy.example', 'g.hopper@navy.example', 'grace@home.example'],
        phone_number: ['+1 202 555 0143'],
        job_title: 'Rear admiral',
      },
    },
  ],
]

it.each(files)('%s, an export from %s, is mapped without help', async (file, product, resource, match, first) => {
  const { preset, choices, rows, checked } = await read(file, resource)
  expect(preset).toBe(product)
  expect(choices).toMatchObject({ mode: 'upsert', match })
  expect(rows[0]).toEqual(first)
  expect(checked.problems).toEqual([])
  expect(checked.rows.flatMap(({ problems }) => [...problems.values()])).toEqual([])
})

it('a file of another program is recognised in every list', async () => {
  const { draft } = await read('hubspot-companies.csv', 'people')
  expect(presetsFor(draft.scanned.header)).toMatchObject([{ product: 'HubSpot', resource: 'companies' }])
})

it.each([attio, googleContacts, hubspot, pipedrive, salesforce])(
  'the files of $product go to fields of a new workspace',
  ({ files }) => {
    for (const { resource: type, has, columns, match } of files) {
      const resource = resourceIn(schema, type)
      const targets = Object.values(columns)
      expect(targets).toContain(resource.label)
      if (match !== undefined) expect(targets).toContain(match)
      expect(targets.filter((name) => !parseTarget(name, resource))).toEqual([])
      expect(presetFor(has, type)?.resource).toBe(type)
    }
  },
)
