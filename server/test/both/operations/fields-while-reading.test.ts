import { registry } from '@kith/contract/registry'
import { expect, it } from 'vitest'
import { listRecords } from '../../../src/records/list.ts'
import { readRecord } from '../../../src/records/read.ts'
import { readSummary } from '../../../src/records/summary.ts'
import { updateField } from '../../../src/schema/define.ts'
import type { Scope } from '../../../src/scope/scope.ts'
import { interrupted } from '../../interrupted.ts'
import { made } from '../../records.ts'
import { newWorkspace } from '../../workspace.ts'

/** Reads the tier of a record, or the group it is counted in. */
type Read = (scope: Scope, id: string) => Promise<unknown>

const asked = (raw: Record<string, unknown>) => ({ raw, loose: false, issues: [] })

async function tierInList(scope: Scope, raw: Record<string, unknown>): Promise<unknown> {
  const { data } = await listRecords(scope, registry.companies, asked(raw))
  return data()[0]?.attributes.custom_fields
}

const reads: [what: string, read: Read][] = [
  ['a list', (scope) => tierInList(scope, {})],
  ['a list by a filter', (scope) => tierInList(scope, { filter: { name: { $contains: 'acme' } } })],
  ['a list in the order of a field', (scope) => tierInList(scope, { sort: 'custom_fields.tier' })],
  ['a page by cursor', (scope) => tierInList(scope, { cursor: true, sort: 'name' })],
  [
    'a record',
    async (scope, id) => {
      const { data } = await readRecord(scope, registry.companies, { id, asked: asked({}) })
      return data()[0]?.attributes.custom_fields
    },
  ],
  [
    'a summary',
    async (scope) => {
      const { data } = await readSummary(scope, registry.companies, asked({ group_by: ['tier'] }))
      return { tier: data[0]?.keys[0] }
    },
  ],
]

it.each(reads)('an option that is added and used after the request was admitted: %s shows it', async (_what, read) => {
  const workspace = await newWorkspace()
  await workspace.field('companies', { name: 'Tier', type: 'select', options: ['Gold'] })
  const { id } = await made(workspace.api, 'companies', { name: 'Acme', custom_fields: { tier: 'Gold' } })
  let write = async () => {}
  const scope = interrupted(await workspace.scope(), () => write())
  expect(await read(scope, id)).toMatchObject({ tier: { label: 'Gold' } })
  // The next read is admitted and knows the fields, but has not read any rows.
  write = async () => {
    write = async () => {}
    await updateField(await workspace.scope(), { entity_type: 'companies', code: 'tier' }, { add_options: ['New'] })
    const { status } = await workspace.api.put(`/companies/${id}`, { custom_fields: { tier: 'New' } })
    expect(status).toBe(200)
  }
  expect(await read(scope, id)).toMatchObject({ tier: { label: 'New' } })
})
