import type { Preset } from './preset.ts'

const values = {
  'E-mail # - Value': 'custom_fields.emails',
  'Phone # - Value': 'custom_fields.phone_number',
}

/** The form since 2024, and the one before it. https://support.google.com/contacts/answer/7199294 */
export const googleContacts: Preset = {
  product: 'Google Contacts',
  files: [
    {
      resource: 'people',
      has: ['First Name', 'Last Name', 'Phonetic First Name', 'File As'],
      columns: {
        'First Name': 'name',
        'Middle Name': 'name',
        'Last Name': 'name',
        'Organization Title': 'custom_fields.job_title',
        ...values,
      },
    },
    {
      resource: 'people',
      has: ['Name', 'Given Name', 'Family Name', 'Group Membership'],
      columns: { Name: 'name', 'Organization 1 - Title': 'custom_fields.job_title', ...values },
    },
  ],
}
