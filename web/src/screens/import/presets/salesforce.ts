import type { Preset } from './preset.ts'

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
