import type { Preset } from './preset.ts'

const person = {
  'Record ID': 'external_ids.attio',
  'Email addresses': 'custom_fields.emails',
  'Phone numbers': 'custom_fields.phone_number',
  'Job title': 'custom_fields.job_title',
  LinkedIn: 'custom_fields.linkedin',
}

/** https://attio.com/help/reference/import-export/export-data */
export const attio: Preset = {
  product: 'Attio',
  files: [
    {
      resource: 'people',
      has: ['Record ID', 'Name', 'Email addresses'],
      columns: { Name: 'name', ...person },
      match: 'external_ids.attio',
    },
    {
      resource: 'people',
      has: ['Record ID', 'First name', 'Last name', 'Email addresses'],
      columns: { 'First name': 'name', 'Last name': 'name', ...person },
      match: 'external_ids.attio',
    },
    {
      resource: 'companies',
      has: ['Record ID', 'Name', 'Domains'],
      columns: {
        'Record ID': 'external_ids.attio',
        Name: 'name',
        Domains: 'custom_fields.domains',
        LinkedIn: 'custom_fields.linkedin',
      },
      match: 'external_ids.attio',
    },
    {
      resource: 'opportunities',
      has: ['Record ID', 'Deal name', 'Deal stage', 'Deal value'],
      columns: {
        'Record ID': 'external_ids.attio',
        'Deal name': 'name',
        'Deal stage': 'custom_fields.stage',
        'Deal value': 'custom_fields.amount',
        'Close date': 'custom_fields.close_date',
      },
      match: 'external_ids.attio',
    },
  ],
}
