import type { Preset } from './preset.ts'

/** A column without a kind is that of lists that show one value only. */
const person = {
  'Person - ID': 'external_ids.pipedrive',
  'Person - Email': 'custom_fields.emails',
  'Person - Email - Work': 'custom_fields.emails',
  'Person - Email - Home': 'custom_fields.emails',
  'Person - Email - Other': 'custom_fields.emails',
  'Person - Phone': 'custom_fields.phone_number',
  'Person - Phone - Work': 'custom_fields.phone_number',
  'Person - Phone - Mobile': 'custom_fields.phone_number',
  'Person - Phone - Home': 'custom_fields.phone_number',
  'Person - Phone - Other': 'custom_fields.phone_number',
  'Person - Job title': 'custom_fields.job_title',
  'Person - Title': 'custom_fields.job_title',
  'Organization - ID': 'company_id.external_ids.pipedrive',
}

/** https://support.pipedrive.com/en/article/exporting-data-from-pipedrive */
export const pipedrive: Preset = {
  product: 'Pipedrive',
  files: [
    {
      resource: 'people',
      has: ['Person - Name'],
      columns: { 'Person - Name': 'name', ...person },
      match: 'external_ids.pipedrive',
    },
    {
      resource: 'people',
      has: ['Person - First name', 'Person - Last name'],
      columns: { 'Person - First name': 'name', 'Person - Last name': 'name', ...person },
      match: 'external_ids.pipedrive',
    },
    {
      resource: 'companies',
      has: ['Organization - Name'],
      columns: {
        'Organization - ID': 'external_ids.pipedrive',
        'Organization - Name': 'name',
        'Organization - Website': 'custom_fields.domains',
        'Organization - LinkedIn profile': 'custom_fields.linkedin',
      },
      match: 'external_ids.pipedrive',
    },
    {
      resource: 'opportunities',
      has: ['Deal - Title'],
      columns: {
        'Deal - ID': 'external_ids.pipedrive',
        'Deal - Title': 'name',
        'Deal - Value': 'custom_fields.amount',
        'Deal - Stage': 'custom_fields.stage',
        'Deal - Expected close date': 'custom_fields.close_date',
        'Organization - ID': 'company_id.external_ids.pipedrive',
        'Person - ID': 'contact_id.external_ids.pipedrive',
      },
      match: 'external_ids.pipedrive',
    },
  ],
}
