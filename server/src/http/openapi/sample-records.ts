import type { FieldDefinition } from '@kith/contract/field-definition'
import { fieldTypes, isList } from '@kith/contract/field-types'
import type { Resource, ResourceName } from '@kith/contract/resource'
import { isGeneral } from './schema.ts'

/** The ids and times of all examples, which are consistent, as in one small workspace. */
export const sampleIds = {
  companies: '01kb8x2m4n6p8q0r2s4t6v8w0x',
  people: '01kb8x3a5c7e9g1j3k5m7n9p1q',
  opportunities: '01kb8x4b6d8f0h2j4k6m8n0p2r',
  tasks: '01kb8x5c7e9g1h3j5k7m9n1p3s',
  notes: '01kb8x6d8f0g2h4j6k8m0n2p4t',
  users: '01kb8w0z1y2x3w4v5t6s7r8q9p',
} as const

export const sampleLoserId = '01kb8x9f0g1h2j3k4m5n6p7q8r'
export const sampleMatches = [sampleIds.companies, sampleLoserId]

export const sampleMergeId = '01kb9a1b2c3d4e5f6g7h8j9k0m'

/** Of the member in all examples. */
export const sampleEmail = 'grace@example.com'

export const sampleTime = '2026-11-14T09:30:00.125Z'
const options = {
  Proposal: { id: '01kb8w1a2b3c4d5e6f7g8h9j0k', label: 'Proposal' },
  'To do': { id: '01kb8w2b3c4d5e6f7g8h9j0k1m', label: 'To do' },
  High: { id: '01kb8w3c4d5e6f7g8h9j0k1m2n', label: 'High' },
}

type Sample = {
  /** Name or title, and references. */
  own: Readonly<Record<string, string | null>>
  /** The lists of ids in the same write. */
  links: Readonly<Record<string, readonly string[]>>
  custom_fields: Readonly<Record<string, unknown>>
  /** The same values in the short forms that people write. */
  written: Readonly<Record<string, unknown>>
  /** The body of an update. */
  change: object
  filter: object
  /** For query strings: short, and without lists, which tools encode differently. */
  shortFilter: object
}

/** The sample record of a resource: a written one, or one built from the examples of the fields of a workspace. */
export function sampleOf(resource: Resource): Sample & { id: string } {
  const { type, schema } = resource
  const ids: Readonly<Partial<Record<ResourceName, string>>> = sampleIds
  const id = ids[type] ?? derivedId
  return { id, ...((isGeneral(schema) && samples[type]) || derivedSample(resource)) }
}

const derivedId = '01kb8x7e9g1h3j5k7m9n1p3q5v'

/** Examples repeat their record, so they show no more fields than this, besides those that are required. */
const SHOWN_FIELDS = 10

function derivedSample({ label, one, references, fields }: Resource): Sample {
  const shown = fields.list.filter(({ required }, index) => required || index < SHOWN_FIELDS)
  const values = shown.map((field) => ({ code: field.code, ...valuesOf(field) }))
  const written = Object.fromEntries(values.map(({ code, sent }) => [code, sent]))
  const custom_fields = Object.fromEntries(values.map(({ code, read }) => [code, read]))
  const own = { [label]: `A ${one}`, ...Object.fromEntries(Object.keys(references).map((column) => [column, null])) }
  const filter = { [label]: { $contains: one } }
  return { own, links: {}, custom_fields, written, change: { [label]: `A ${one}` }, filter, shortFilter: filter }
}

/** A value that the field takes, as it is sent and read. */
function valuesOf(field: FieldDefinition): { sent: unknown; read: unknown } {
  const { example, parse, present, refersTo } = fieldTypes[field.type]
  const { value } = example(field)
  const stored = refersTo ? [sampleIds.users] : parse(value, { field, path: '', report: () => {} })
  const read = stored === null || stored === undefined ? undefined : present(stored, field)
  return read === undefined ? { sent: null, read: isList(field) ? [] : null } : { sent: value, read }
}

const { companies, people, opportunities, users } = sampleIds
const links = { company_ids: [companies], people_ids: [people], opportunity_ids: [opportunities] }

const samples: Readonly<Partial<Record<ResourceName, Sample>>> = {
  companies: {
    own: { name: 'Acme', account_owner_id: users },
    links: {},
    custom_fields: { domains: ['acme.com'], linkedin: ['https://www.linkedin.com/company/acme'], icp: true },
    written: { domains: ['https://www.acme.com'], linkedin: 'https://www.linkedin.com/company/acme', icp: true },
    change: { custom_fields: { icp: false, linkedin: null } },
    filter: {
      $or: [
        { custom_fields: { domains: { $has_any: ['acme.com'] } } },
        { people: { custom_fields: { emails: { domain: { $in: ['acme.com'] } } } } },
      ],
      created_at: { $gte: '2026-01-01' },
    },
    shortFilter: { name: { $contains: 'acme' } },
  },
  people: {
    own: { name: 'Ada Lovelace', company_id: companies },
    links: {},
    custom_fields: {
      emails: ['ada@acme.com'],
      phone_number: ['+14155550100'],
      job_title: 'Head of Operations',
      linkedin: [],
    },
    written: { emails: ['ada@acme.com'], phone_number: '+1 (415) 555-0100', job_title: 'Head of Operations' },
    change: { company_id: null, custom_fields: { job_title: 'Chief Operating Officer' } },
    filter: {
      company: { name: { $contains: 'acme' } },
      custom_fields: { phone_number: { $is_empty: false } },
    },
    shortFilter: { custom_fields: { emails: { $has_any: ['ada@acme.com'] } } },
  },
  opportunities: {
    own: { name: 'Acme, annual plan', company_id: companies, contact_id: people },
    links: {},
    custom_fields: {
      stage: options.Proposal,
      amount: 12500,
      close_date: '2026-12-31',
      owner: { id: users, type: 'users' },
    },
    written: { stage: 'Proposal', amount: 12500, close_date: '2026-12-31', owner: { email: sampleEmail } },
    change: { custom_fields: { stage: 'Closed Won', close_date: null } },
    filter: {
      custom_fields: { stage: { $in: ['Proposal', 'Negotiation'] }, amount: { $gte: 10000 } },
      $not: { contact: { $is_empty: true } },
    },
    shortFilter: { custom_fields: { stage: { $in: ['Proposal', 'Negotiation'] } } },
  },
  tasks: {
    own: { title: 'Send the offer' },
    links: { ...links, assignee_ids: [users] },
    custom_fields: {
      status: options['To do'],
      priority: options.High,
      due_date: '2026-11-20T15:00:00.000Z',
      description: 'With **annual** billing.',
    },
    written: {
      status: 'To do',
      priority: 'High',
      due_date: '2026-11-20T16:00:00+01:00',
      description: 'With **annual** billing.',
    },
    change: { assignee_ids: [], custom_fields: { status: 'Done' } },
    filter: {
      assigned_to_me: { $eq: true },
      custom_fields: { status: { $not_in: ['Done'] }, due_date: { $lte: '2026-11-30' } },
    },
    shortFilter: { assigned_to_me: { $eq: true } },
  },
  notes: {
    own: { title: 'First call' },
    links,
    custom_fields: { body: 'They start with two teams.' },
    written: { body: 'They start with two teams.' },
    change: { title: 'Second call', people_ids: null },
    filter: {
      companies: { $in: [companies] },
      custom_fields: { body: { $contains: 'two teams' } },
    },
    shortFilter: { title: { $contains: 'call' } },
  },
}
