import type { Preset } from './preset.ts'

/** https://knowledge.hubspot.com/import-and-export/export-records */
export const hubspot: Preset = {
  product: 'HubSpot',
  files: [
    {
      resource: 'people',
      has: ['Record ID', 'First Name', 'Last Name', 'Email'],
      columns: {
        'Record ID': 'external_ids.hubspot',
        'First Name': 'name',
        'Last Name': 'name',
        Email: 'custom_fields.emails',
        'Additional email addresses': 'custom_fields.emails',
        'Phone Number': 'custom_fields.phone_number',
        'Mobile Phone Number': 'custom_fields.phone_number',
        'Job Title': 'custom_fields.job_title',
        'LinkedIn URL': 'custom_fields.linkedin',
        'Associated Company IDs (Primary)': 'company_id.external_ids.hubspot',
        'Primary Associated Company ID': 'company_id.external_ids.hubspot',
        'Associated Company IDs': 'company_id.external_ids.hubspot',
      },
      match: 'external_ids.hubspot',
    },
    {
      resource: 'companies',
      has: ['Record ID', 'Company name'],
      columns: {
        'Record ID': 'external_ids.hubspot',
        'Company name': 'name',
        'Company Domain Name': 'custom_fields.domains',
        'LinkedIn Company Page': 'custom_fields.linkedin',
      },
      match: 'external_ids.hubspot',
    },
    {
      resource: 'opportunities',
      has: ['Record ID', 'Deal Name', 'Deal Stage', 'Amount'],
      columns: {
        'Record ID': 'external_ids.hubspot',
        'Deal Name': 'name',
        'Deal Stage': 'custom_fields.stage',
        Amount: 'custom_fields.amount',
        'Close Date': 'custom_fields.close_date',
        'Associated Company IDs (Primary)': 'company_id.external_ids.hubspot',
        'Primary Associated Company ID': 'company_id.external_ids.hubspot',
        'Associated Company IDs': 'company_id.external_ids.hubspot',
      },
      match: 'external_ids.hubspot',
    },
  ],
}
