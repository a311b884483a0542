import { createClient } from '@kith/sdk'
import pg from 'pg'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { mirrorInto } from '../../../examples/reporting-mirror/mirror.ts'
import { made } from '../records.ts'
import { newWorkspace } from '../workspace.ts'

const schema = 'reporting_mirror'
let db: pg.Client
beforeAll(async () => {
  db = new pg.Client({ connectionString: inject('service').database_url })
  await db.connect()
})
afterAll(async () => {
  await db.query(`drop schema if exists ${schema} cascade`)
  await db.end()
})

it('the reporting mirror has typed columns, follows changes, and changes with the fields', async () => {
  const { api, field } = await newWorkspace()
  const kith = createClient({ url: api.base.replace(/\/v1$/, ''), token: api.token })
  const run = () => mirrorInto(kith, db, { schema, once: true })
  const rows = async (query: string) => (await db.query(query.replaceAll('kith.', `${schema}.`))).rows
  const company = await made(api, 'companies', { name: 'Acme', custom_fields: { domains: ['acme.com'], icp: true } })
  const deal = { company_id: company.id, custom_fields: { stage: 'Proposal', amount: 12.5, close_date: '2026-12-24' } }
  const first = await made(api, 'opportunities', deal)
  await made(api, 'opportunities', { custom_fields: { stage: 'Proposal', amount: 7.5 } })
  const task = await made(api, 'tasks', { company_ids: [company.id] })
  await run()
  expect(await rows('select stage, sum(amount)::float8 as sum from kith.opportunities group by stage')).toEqual([
    { stage: 'Proposal', sum: 20 },
  ])
  const joined = `select c.name, c.domains, c.icp, o.close_date::text, o.created_at from kith.opportunities o
    join kith.companies c on c.id = o.company_id`
  const shown = { name: 'Acme', domains: ['acme.com'], icp: true, close_date: '2026-12-24' }
  expect(await rows(joined)).toEqual([{ ...shown, created_at: new Date(first.attributes.created_at) }])
  expect(await rows('select from_id, relation, to_id from kith.links')).toEqual([
    { from_id: task.id, relation: 'companies', to_id: company.id },
  ])

  await field('companies', { name: 'Tiers', type: 'multi-select', options: ['Gold', 'Silver'] })
  await api.patch(`/companies/${company.id}`, { custom_fields: { tiers: ['Silver', 'Gold'] } })
  await api.delete(`/opportunities/${first.id}`)
  const { options } = (await kith.schema.read('companies')).data.attributes.custom_fields.tiers ?? {}
  const tiers = { resource: 'companies', code: 'tiers' } as const
  await kith.schema.updateOption({ ...tiers, id: options?.[0]?.id ?? '' }, { label: 'Platinum' })
  await run()
  expect(await rows('select tiers from kith.companies')).toEqual([{ tiers: ['Silver', 'Platinum'] }])
  expect(await rows('select count(*)::int from kith.opportunities')).toEqual([{ count: 1 }])

  await kith.schema.archive(tiers)
  await api.patch(`/companies/${company.id}`, { name: 'Acme Inc.' })
  await run()
  expect(Object.keys((await rows('select * from kith.companies'))[0])).not.toContain('tiers')
  await kith.schema.restore(tiers)
  await run()
  expect(await rows('select name, tiers from kith.companies')).toEqual([
    { name: 'Acme Inc.', tiers: ['Silver', 'Platinum'] },
  ])
})
