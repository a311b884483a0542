import type { ResourceName } from '@kith/contract/resource'

/**
 * Two forms: reports name fields as people see them, the data export by their API names.
 * https://help.salesforce.com/s/articleView?id=sf.admin_exportdata.htm
 */
export const salesforce: Preset = {
  product: 'Salesforce',
  files: [
    {
      resource: 'people',
      has: ['Id', 'AccountId', 'LastName', 'FirstName', 'Email'],
      columns: {
        Id: 'external_ids.salesforce',
        FirstName: 'name',
        LastName: 'name',
        Email: 'custom_fields.emails',
        Phone: 'custom_fields.phone_number',
        MobilePhone: 'custom_fields.phone_number',
        Title: 'custom_fields.job_title',
        AccountId: 'company_id.external_ids.salesforce',
      },
      match: 'external_ids.salesforce',
    },
    {
      resource: 'people',
      has: ['Contact ID', 'First Name', 'Last Name'],
      columns: {
        'Contact ID': 'external_ids.salesforce',
        'First Name': 'name',
        'Last Name': 'name',
        Email: 'custom_fields.emails',
        Phone: 'custom_fields.phone_number',
        Mobile: 'custom_fields.phone_number',
        Title: 'custom_fields.job_title',
        'Account ID': 'company_id.external_ids.salesforce',
        'Account Name': 'company_id.name',
      },
      match: 'external_ids.salesforce',
    },
    {
      resource: 'opportunities',
      has: ['Id', 'AccountId', 'Name', 'StageName', 'CloseDate'],
      columns: {
        Id: 'external_ids.salesforce',
        Name: 'name',
        StageName: 'custom_fields.stage',
        Amount: 'custom_fields.amount',
        CloseDate: 'custom_fields.close_date',
        AccountId: 'company_id.external_ids.salesforce',
        ContactId: 'contact_id.external_ids.salesforce',
      },
      match: 'external_ids.salesforce',
    },
    {
      resource: 'opportunities',
      has: ['Opportunity ID', 'Opportunity Name'],
      columns: {
        'Opportunity ID': 'external_ids.salesforce',
        'Opportunity Name': 'name',
        Stage: 'custom_fields.stage',
        Amount: 'custom_fields.amount',
        'Close Date': 'custom_fields.close_date',
        'Account ID': 'company_id.external_ids.salesforce',
        'Account Name': 'company_id.name',
      },
      match: 'external_ids.salesforce',
    },
    {
      resource: 'companies',
      has: ['Id', 'Name', 'Website', 'OwnerId'],
      columns: { Id: 'external_ids.salesforce', Name: 'name', Website: 'custom_fields.domains' },
      match: 'external_ids.salesforce',
    },
    {
      resource: 'companies',
      has: ['Account ID', 'Account Name'],
      columns: {
        'Account ID': 'external_ids.salesforce',
        'Account Name': 'name',
        Website: 'custom_fields.domains',
      },
      match: 'external_ids.salesforce',
    },
  ],
}

/** How a program names the columns of a file that it exports. */
export type PresetFile = {
  resource: ResourceName
  /** Headers that together tell that a file is this export. */
  has: readonly string[]
  /** Column → target. `#` is any number. Other columns are left out until the user maps them. */
  columns: Readonly<Record<string, string>>
  /** By which the records are found when the file is imported again. */
  match?: string
}

type Preset = { product: string; files: readonly PresetFile[] }

const person = {
  'Record ID': 'external_ids.attio',
  'Email addresses': 'custom_fields.emails',
  'Phone numbers': 'custom_fields.phone_number',
  'Job title': 'custom_fields.job_title',
  LinkedIn: 'custom_fields.linkedin',
  Company: 'company_id.name',
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
        'Associated company': 'company_id.name',
      },
      match: 'external_ids.attio',
    },
  ],
}

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
        'Organization Name': 'company_id.name',
        ...values,
      },
    },
    {
      resource: 'people',
      has: ['Name', 'Given Name', 'Family Name', 'Group Membership'],
      columns: {
        Name: 'name',
        'Organization 1 - Title': 'custom_fields.job_title',
        'Organization 1 - Name': 'company_id.name',
        ...values,
      },
    },
  ],
}

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
        'Associated Company (Primary)': 'company_id.name',
        'Primary Associated Company': 'company_id.name',
        'Associated Company': 'company_id.name',
        'Company Name': 'company_id.name',
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
        'Associated Company (Primary)': 'company_id.name',
        'Primary Associated Company': 'company_id.name',
        'Associated Company': 'company_id.name',
      },
      match: 'external_ids.hubspot',
    },
  ],
}

/** A column without a kind is that of lists that show one value only. */
const pipedrivePerson = {
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
  'Person - Organization': 'company_id.name',
}

/** https://support.pipedrive.com/en/article/exporting-data-from-pipedrive */
export const pipedrive: Preset = {
  product: 'Pipedrive',
  files: [
    {
      resource: 'people',
      has: ['Person - Name'],
      columns: { 'Person - Name': 'name', ...pipedrivePerson },
      match: 'external_ids.pipedrive',
    },
    {
      resource: 'people',
      has: ['Person - First name', 'Person - Last name'],
      columns: { 'Person - First name': 'name', 'Person - Last name': 'name', ...pipedrivePerson },
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
        'Deal - Organization': 'company_id.name',
        'Deal - Contact person': 'contact_id.name',
      },
      match: 'external_ids.pipedrive',
    },
  ],
}
