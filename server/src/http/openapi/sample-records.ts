import type { ResourceName } from '@kith/contract/resource'

/** The people, companies and times of all examples, which fit together as in one small workspace. */
export const sampleIds = {
  companies: '01kb8x2m4n6p8q0r2s4t6v8w0x',
  people: '01kb8x3a5c7e9g1j3k5m7n9p1q',
  opportunities: '01kb8x4b6d8f0h2j4k6m8n0p2r',
  tasks: '01kb8x5c7e9g1h3j5k7m9n1p3s',
  notes: '01kb8x6d8f0g2h4j6k8m0n2p4t',
  users: '01kb8w0z1y2x3w4v5t6s7r8q9p',
} as const

const duplicate = '01kb8x9f0g1h2j3k4m5n6p7q8r'
export const sampleMatches = [sampleIds.companies, duplicate]

export const sampleTime = '2026-11-14T09:30:00.125Z'
const options = {
  Proposal: { id: '01kb8w1a2b3c4d5e6f7g8h9j0k', label: 'Proposal' },
  'To do': { id: '01kb8w2b3c4d5e6f7g8h9j0k1m', label: 'To do' },
  High: { id: '01kb8w3c4d5e6f7g8h9j0k1m2n', label: 'High' },
}

type Sample = {
  /** Name or title, and references. */
  own: Readonly<Record<string, string | null>>
  /** Lists of ids that are written beside them. */
  links: Readonly<Record<string, readonly string[]>>
  custom_fields: Readonly<Record<string, unknown>>
  /** The same values in the short forms in which people write them. */
  written: Readonly<Record<string, unknown>>
}

const { companies, people, opportunities, users } = sampleIds
const links = { company_ids: [companies], people_ids: [people], opportunity_ids: [opportunities] }

export const samples: Readonly<Record<ResourceName, Sample>> = {
  companies: {
    own: { name: 'Acme', account_owner_id: users },
    links: {},
    custom_fields: { domains: ['acme.com'], linkedin: ['https://www.linkedin.com/company/acme'], icp: true },
    written: { domains: ['https://www.acme.com'], linkedin: 'https://www.linkedin.com/company/acme', icp: true },
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
  },
  opportunities: {
    own: { name: 'Acme, annual plan', company_id: companies, contact_id: people },
    links: {},
    custom_fields: { stage: options.Proposal, amount: 12500, close_date: '2026-12-31' },
    written: { stage: 'Proposal', amount: 12500, close_date: '2026-12-31' },
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
  },
  notes: {
    own: { title: 'First call' },
    links,
    custom_fields: { body: 'They start with two teams.' },
    written: { body: 'They start with two teams.' },
  },
}
