import type { FieldTypeName } from '@kith/contract/field-type-name'
import type { ResourceName } from '@kith/contract/resource'
import type { OptionColor } from './option-colors.ts'

export type StartingField = {
  code: string
  name: string
  type: FieldTypeName
  system?: true
  /** Takes several values, none of which two records may share. */
  identifying?: true
  options?: Readonly<Record<string, OptionColor>>
}

const stages = {
  Prospecting: 'gray',
  Qualification: 'blue',
  'Needs Analysis': 'indigo',
  'Value Proposition': 'purple',
  'Decision Makers': 'pink',
  'Perception Analysis': 'orange',
  Proposal: 'amber',
  Negotiation: 'teal',
  'Closed Won': 'green',
  'Closed Lost': 'red',
} as const

/** The fields that every workspace starts with. System fields cannot be archived or deleted. */
export const startingFields: Readonly<Record<ResourceName, readonly StartingField[]>> = {
  companies: [
    { code: 'domains', name: 'Domains', type: 'domain', system: true, identifying: true },
    { code: 'linkedin', name: 'LinkedIn', type: 'link' },
    { code: 'icp', name: 'ICP', type: 'toggle' },
  ],
  people: [
    { code: 'emails', name: 'Emails', type: 'email', system: true, identifying: true },
    { code: 'phone_number', name: 'Phone number', type: 'phone' },
    { code: 'job_title', name: 'Job title', type: 'text' },
    { code: 'linkedin', name: 'LinkedIn', type: 'link' },
  ],
  opportunities: [
    { code: 'stage', name: 'Stage', type: 'select', system: true, options: stages },
    { code: 'amount', name: 'Amount', type: 'currency', system: true },
    { code: 'close_date', name: 'Close date', type: 'date', system: true },
  ],
  tasks: [
    {
      code: 'status',
      name: 'Status',
      type: 'select',
      system: true,
      options: { 'To do': 'gray', 'In progress': 'blue', Done: 'green' },
    },
    {
      code: 'priority',
      name: 'Priority',
      type: 'select',
      system: true,
      options: { Low: 'gray', Medium: 'amber', High: 'red' },
    },
    { code: 'due_date', name: 'Due date', type: 'date-time', system: true },
    { code: 'description', name: 'Description', type: 'rich-text' },
  ],
  notes: [{ code: 'body', name: 'Body', type: 'rich-text', system: true }],
}
