import { registry } from '@kith/contract/registry'
import { describe, expect, it } from 'vitest'
import { archiveField } from '../../../src/schema/define.ts'
import { specified } from '../../specified.ts'
import { newWorkspace } from '../../workspace.ts'

const stages = [
  'Prospecting',
  'Qualification',
  'Needs Analysis',
  'Value Proposition',
  'Decision Makers',
  'Perception Analysis',
  'Proposal',
  'Negotiation',
  'Closed Won',
  'Closed Lost',
]

type Row = { code: string; name: string; type: string; system?: true; identifying?: true; options?: string[] }

/** The table of the contract. */
const table = {
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
    { code: 'owner', name: 'Owner', type: 'member' },
  ],
  tasks: [
    { code: 'status', name: 'Status', type: 'select', system: true, options: ['To do', 'In progress', 'Done'] },
    { code: 'priority', name: 'Priority', type: 'select', system: true, options: ['Low', 'Medium', 'High'] },
    { code: 'due_date', name: 'Due date', type: 'date-time', system: true },
    { code: 'description', name: 'Description', type: 'rich-text' },
  ],
  notes: [{ code: 'body', name: 'Body', type: 'rich-text', system: true }],
} as const satisfies Record<string, readonly Row[]>

const rows = specified.flatMap((entity_type) =>
  table[entity_type].map((row: Row, index) => ({ entity_type, position: index + 1, ...row })),
)

/** A value of each field as it is written, and as it is read. */
const values: Record<string, Record<string, [unknown, unknown]>> = {
  companies: {
    domains: [
      ['www.Acme.example', 'acme.test'],
      ['acme.example', 'acme.test'],
    ],
    linkedin: ['LinkedIn.com/company/Acme/', ['linkedin.com/company/Acme']],
    icp: [true, true],
  },
  people: {
    emails: [
      ['Ada@Acme.example', 'ada@x.test'],
      ['Ada@Acme.example', 'ada@x.test'],
    ],
    phone_number: ['+1 415 555 0100', ['+14155550100']],
    job_title: ['Countess', 'Countess'],
    linkedin: [['https://linkedin.com/in/ada'], ['https://linkedin.com/in/ada']],
  },
  opportunities: {
    stage: ['closed won', { id: expect.any(String), label: 'Closed Won' }],
    amount: ['1250.50', 1250.5],
    close_date: ['2026-12-31', '2026-12-31'],
    owner: [[], null],
  },
  tasks: {
    status: ['in PROGRESS', { id: expect.any(String), label: 'In progress' }],
    priority: ['High', { id: expect.any(String), label: 'High' }],
    due_date: ['2026-12-31', '2026-12-31T00:00:00.000Z'],
    description: ['# Do it', '# Do it'],
  },
  notes: { body: ['**Well**', '**Well**'] },
}

describe('5. What a new workspace has', () => {
  it('exactly these fields, over GET /custom-fields', async () => {
    const { api } = await newWorkspace()
    const { status, body } = await api.get('/custom-fields?per_page=100')
    expect(status).toBe(200)
    expect(body.meta.total).toBe(16)
    expect(body.data).toEqual(
      rows.map(({ system: _, identifying = false, options = [], ...row }) => ({
        id: expect.stringMatching(/^[0-9a-z]{26}$/),
        type: 'custom_fields',
        attributes: {
          ...row,
          description: null,
          required: false,
          unique: identifying,
          multiple: identifying,
          max_values: identifying ? 5 : 1,
          options: options.map((label) => ({
            id: expect.stringMatching(/^[0-9a-z]{26}$/),
            label,
            color: expect.any(String),
          })),
          settings: settingsOf(row.type),
          created_at: expect.stringMatching(/Z$/),
          updated_at: expect.stringMatching(/Z$/),
        },
      })),
    )
    const ids = body.data.flatMap(({ id, attributes }: { id: string; attributes: { options: { id: string }[] } }) => [
      id,
      ...attributes.options.map((option) => option.id),
    ])
    expect(new Set(ids).size).toBe(16 + 10 + 3 + 3)
  })

  it.each(specified)('%s: a new record has them, unset', async (resource) => {
    const { api } = await newWorkspace()
    const made = await api.post(`/${resource}`, { [registry[resource].label]: 'Acme' })
    const lists = ['domain', 'email', 'phone', 'link']
    expect(Object.entries(made.body.data.attributes.custom_fields)).toEqual(
      table[resource].map(({ code, type }) => [code, lists.includes(type) ? [] : null]),
    )
  })

  it.each(specified)('%s: they take values of their types', async (resource) => {
    const { api } = await newWorkspace()
    const wanted = Object.entries(values[resource] ?? {})
    const custom_fields = Object.fromEntries(wanted.map(([code, [sent]]) => [code, sent]))
    const made = await api.post(`/${resource}`, { [registry[resource].label]: 'Acme', custom_fields })
    expect(made.status, made.text).toBe(201)
    expect(made.body.data.attributes.custom_fields).toEqual(
      Object.fromEntries(wanted.map(([code, [, read]]) => [code, read])),
    )
  })

  it.each([
    ['companies', 'domains', 'acme.example', 'https://www.ACME.example/'],
    ['people', 'emails', 'ada@acme.example', 'ADA@acme.example'],
  ] as const)('%s: %s is unique, and an upsert can look for it', async (resource, code, held, spelled) => {
    const { api } = await newWorkspace()
    const first = await api.post(`/${resource}`, { name: 'A', custom_fields: { [code]: [held] } })
    const second = await api.post(`/${resource}`, { name: 'B', custom_fields: { [code]: spelled } })
    expect(Object.keys(second.body.errors)).toEqual([`custom_fields.${code}`])
    const found = await api.post(`/${resource}/upsert`, { match: { field: code, value: spelled }, name: 'C' })
    expect(found.status).toBe(200)
    expect(found.body.data.id).toBe(first.body.data.id)
  })

  it('system fields cannot be archived, the others can', async () => {
    const workspace = await newWorkspace()
    for (const { entity_type, code, system } of rows) {
      const archived = archiveField(await workspace.scope(), { entity_type, code })
      if (system) await expect(archived, code).rejects.toThrow(/system field/)
      else await archived
    }
    const { body } = await workspace.api.get('/custom-fields?per_page=100')
    expect(body.meta.total).toBe(rows.filter((row) => row.system).length)
  })

  it('two workspaces have fields and options of their own', async () => {
    const read = async () => {
      const { api } = await newWorkspace()
      return (await api.get('/custom-fields?per_page=100')).body.data
    }
    const idsIn = (data: unknown) => new Set(JSON.stringify(data).match(/"id":"[0-9a-z]{26}"/g))
    const [one, other] = [idsIn(await read()), idsIn(await read())]
    expect([...one].filter((id) => other.has(id))).toEqual([])
    expect(one.size).toBe(other.size)
  })
})

function settingsOf(type: string): object {
  if (type === 'currency') return { currency: expect.stringMatching(/^[A-Z]{3}$/), decimals: 2 }
  return type === 'text' ? { max_length: 255 } : {}
}
