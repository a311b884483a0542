import { fieldTypes, isList } from '@kith/contract/field-types'
import { targetOf } from '@kith/contract/field-types/reference'
import type { ImportTarget } from '@kith/contract/import/target'
import { CUSTOM_FIELDS, type RelatedType, type Resource, type ResourceName } from '@kith/contract/resource'
import type { OutputColumn } from '../reading/rewrite.ts'

/** The names of a target in other programs. Letter case, spaces and signs do not matter. */
const names: Readonly<Record<string, readonly string[]>> = {
  'custom_fields.emails': [
    'email',
    'e mail',
    'email address',
    'e mail address',
    'email addresses',
    'mail',
    'work email',
  ],
  'custom_fields.phone_number': ['phone', 'telephone', 'mobile', 'mobile phone', 'phone numbers', 'tel', 'cell'],
  'custom_fields.job_title': ['title', 'job', 'position', 'role', 'job position'],
  'custom_fields.linkedin': ['linkedin url', 'linkedin profile', 'linkedin page', 'linked in'],
  'custom_fields.domains': ['domain', 'website', 'web site', 'homepage', 'company domain', 'domain name', 'web'],
  'custom_fields.amount': ['value', 'deal value', 'deal amount', 'price'],
  'custom_fields.stage': ['deal stage', 'pipeline stage', 'status'],
  'custom_fields.close_date': ['expected close date', 'closing date', 'close', 'closes'],
  'custom_fields.due_date': ['due', 'due by', 'deadline', 'due on'],
  'custom_fields.body': ['text', 'note', 'content', 'description'],
  'custom_fields.description': ['text', 'details', 'body'],
  'company_id.domains': ['company domain', 'company website', 'account domain'],
  'company_id.name': ['company', 'company name', 'account', 'account name', 'organization', 'organisation', 'employer'],
  'contact_id.name': ['contact', 'contact name', 'contact person'],
  'contact_id.emails': ['contact email', 'person email'],
  owner_id: ['owner', 'owner email'],
  account_owner_id: ['owner', 'account owner', 'owner email', 'company owner'],
  assignee_ids: ['assignee', 'assignees', 'assigned to'],
}

/** Of the name or title of a record, where they are not those of the attribute. */
const labels: Readonly<Record<ResourceName, readonly string[]>> = {
  companies: [
    'company',
    'company name',
    'account',
    'account name',
    'organization',
    'organisation',
    'organization name',
  ],
  people: ['full name', 'display name', 'person', 'contact', 'contact name', 'person name'],
  opportunities: ['deal', 'deal name', 'deal title', 'opportunity', 'opportunity name', 'title'],
  tasks: ['task', 'task name', 'subject', 'name'],
  notes: ['note title', 'subject', 'name'],
}

/** The parts of the name of a person, in the order in which they are joined. */
const nameParts: readonly (readonly string[])[] = [
  ['first name', 'firstname', 'given name', 'forename'],
  ['middle name', 'additional name'],
  ['last name', 'lastname', 'family name', 'surname'],
]

/** The usual names of a target. Those of a reference field are its name and what finds a record: "Customer website". */
export function namesOf(target: string, { type, label, row, fields }: Resource): readonly string[] {
  const field = fields.list.find(({ code }) => target.startsWith(`${CUSTOM_FIELDS}${code}.`))
  if (field) {
    const by = target.slice(CUSTOM_FIELDS.length + field.code.length + 1)
    return [by, ...(names[CUSTOM_FIELDS + by] ?? [])].map((one) => plainName(`${field.name} ${one}`))
  }
  if (target !== label) return names[target] ?? []
  const one = plainName(row.singular)
  return [...(labels[type] ?? []), one, `${one} ${label}`]
}

/** Which part of a name a column is, in the order of the parts. Undefined for other columns. */
export function namePartOf(column: string): number | undefined {
  const found = nameParts.findIndex((part) => part.includes(plainName(column)))
  return found === -1 ? undefined : found
}

/** A name without letter case and signs. */
export function plainName(name: string): string {
  return name
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
}

/** Whether several columns can go to one target: parts of a name, or values of a list. */
export function isJoined(target: ImportTarget): boolean {
  if (target.kind === 'field')
    return (
      fieldTypes[target.field.type].list && (target.field.multiple || fieldTypes[target.field.type].hasOptions === true)
    )
  return target.kind === 'label' || target.kind === 'links' || target.kind === 'external_ids'
}

const SPLIT: ReadonlySet<string> = new Set(['Emails', 'Phones', 'Domains'])

/** How the cells of its columns are joined. */
export function joinOf(target: ImportTarget | null): OutputColumn['join'] {
  if (target?.kind === 'field' && isList(target.field)) {
    return SPLIT.has(fieldTypes[target.field.type].kind) ? 'split' : 'list'
  }
  return target?.kind === 'links' || target?.kind === 'external_ids' ? 'list' : 'text'
}

/** The type of the records that a target names; undefined for other values. */
export function relatedTypeOf(target: ImportTarget): RelatedType | undefined {
  if (target.kind === 'reference' || target.kind === 'links') return target.to
  if (target.kind !== 'field' || !fieldTypes[target.field.type].refersTo) return undefined
  return targetOf(target.field)
}
