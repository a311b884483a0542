import { registry } from '@kith/contract/registry'
import { expect, it } from 'vitest'
import type { BulkAction, EditOp } from '../../api/bulk.ts'
import { literal } from '../use-in-api/literal.ts'
import { bulkCalls } from './bulk-calls.ts'

const api = 'https://crm.example.com/api'

function edit(attribute: string, op: EditOp, value?: unknown): BulkAction {
  return { kind: 'edit', label: 'A field', attribute, op, value }
}

it('some records are one batch that can be sent as it is', () => {
  const records = { ids: ['01a', '01b'] }
  const action = edit('custom_fields.stage', 'set', 'Proposal')
  const [curl, body] = bulkCalls(api, { resource: registry.opportunities, action, records })
  const data = { custom_fields: { stage: 'Proposal' } }
  expect(JSON.parse(body?.code ?? '')).toEqual({
    operations: [
      { op: 'update', data, id: '01a' },
      { op: 'update', data, id: '01b' },
    ],
  })
  expect(curl?.code).toContain(`curl '${api}/v1/opportunities/batch'`)
  const [, deleted] = bulkCalls(api, {
    resource: registry.notes,
    action: { kind: 'delete' },
    records: { ids: ['01a'] },
  })
  expect(JSON.parse(deleted?.code ?? '')).toEqual({ operations: [{ op: 'delete', id: '01a' }] })
})

it('all matching records are read with the filter', () => {
  const records = { filter: { name: { $contains: 'labs' } }, except: new Set<string>() }
  const [program, ...more] = bulkCalls(api, { resource: registry.companies, action: { kind: 'delete' }, records })
  expect(more).toEqual([])
  expect(program?.code).toContain("kith.resource('companies').all({ filter: { name: { $contains: 'labs' } } })")
  expect(program?.code).toContain("operations.push({ op: 'delete', id: record.id })")
})

it.each([
  ['custom_fields.labels', 'add', ['VIP'], { custom_fields: { labels: { $add: ['VIP'] } } }],
  ['custom_fields.tags', 'remove', [{ id: '01a' }], { custom_fields: { tags: { $remove: [{ id: '01a' }] } } }],
  ['company_ids', 'add', '01c', { company_ids: { $add: ['01c'] } }],
  ['company_ids', 'clear', undefined, { company_ids: null }],
] as const)('lists are edited item by item: %s %s', (attribute, op, value, data) => {
  const action = edit(attribute, op, value)
  const [, body, program] = bulkCalls(api, { resource: registry.tasks, action, records: { ids: ['01a'] } })
  expect(JSON.parse(body?.code ?? '')).toEqual({ operations: [{ op: 'update', data, id: '01a' }] })
  expect(program?.code).toContain(`{ op: 'update', id: record.id, data: ${literal(data)} }`)
})
