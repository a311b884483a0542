import { beforeAll, expect, inject, it } from 'vitest'
import { readCsv, readExport } from '../../exported.ts'
import { madeResource } from '../../own-resource.ts'
import { runKith } from '../../run-kith.ts'
import { newWorkspace, sharedEnv, type TestWorkspace } from '../../workspace.ts'
import { imported, resultsOf } from '../jobs/jobs.ts'

let workspace: TestWorkspace
let acme: string
let bolt: string

beforeAll(async () => {
  workspace = await newWorkspace()
  await madeResource(workspace, { name: 'Projects', singular: 'Project' })
  const { api } = workspace
  acme = (await api.post('/companies', { name: 'Acme', custom_fields: { domains: ['acme.example'] } })).body.data.id
  bolt = (await api.post('/companies', { name: 'Bolt', external_ids: { crm: 'b1' } })).body.data.id
  const kith = ['field', 'create', '--workspace', workspace.slug, '--entity', 'projects', '--type', 'record']
  const one = ['--name', 'Account', '--target', 'companies', '--inverse-code', 'plans', '--inverse-name', 'Plans']
  const many = ['--name', 'Partners', '--target', 'companies', '--multiple', '--max-values', '3']
  for (const options of [one, many]) {
    const { code, stderr } = await runKith([...kith, ...options], sharedEnv())
    expect([code, stderr]).toEqual([0, ''])
  }
  await workspace.field('projects', { name: 'Lead', type: 'member' })
})

it('The command line makes a field and its inverse, renames and removes it', async () => {
  const schema = async () => (await workspace.api.get('/schema/projects')).body.data.attributes.custom_fields
  const inverse = { code: 'plans', name: 'Plans' }
  expect(await schema()).toMatchObject({
    account: { settings: { target: 'companies', inverse } },
    partners: { settings: { target: 'companies', inverse: null }, multiple: true, max_values: 3 },
  })
  const update = ['field', 'update', '--workspace', workspace.slug, '--entity', 'projects', '--code', 'account']
  await runKith([...update, '--inverse-name', 'All plans'], sharedEnv())
  expect((await schema()).account.settings.inverse).toEqual({ code: 'plans', name: 'All plans' })
  await runKith([...update, '--no-inverse'], sharedEnv())
  expect((await schema()).account.settings.inverse).toBe(null)
})

it('An import finds records by id or by a value, and members by id or e-mail address', async () => {
  const { api, owner } = workspace
  const header = 'name,custom_fields.account.domains,custom_fields.partners,custom_fields.lead'
  const rows = [
    `One,acme.example,${acme};${bolt},${owner.email}`,
    `Two,,${bolt},${owner.id}`,
    'Three,nobody.example,x,nobody@x.example',
  ]
  const job = await imported(api, [header, ...rows].join('\n'), { resource: 'projects', mode: 'create' })
  expect(job.attributes.progress).toMatchObject({ created: 2, failed: 1 })
  const [failed] = await resultsOf(api, job.id, '?outcome=failed')
  expect(Object.keys(failed?.errors ?? {}).sort()).toEqual([
    'custom_fields.account',
    'custom_fields.lead',
    'custom_fields.partners.0',
  ])
  const cells = await readCsv(api, '/projects/export?format=csv')
  const [names, ...exported] = cells
  const column = (name: string) => names?.indexOf(name) ?? -1
  const shown = exported.map((row) =>
    ['name', 'custom_fields.account', 'custom_fields.partners', 'custom_fields.lead'].map((name) => row[column(name)]),
  )
  expect(shown.sort()).toEqual([
    ['One', acme, `${acme};${bolt}`, owner.id],
    ['Two', '', bolt, owner.id],
  ])
  const both = 'name,custom_fields.account,custom_fields.account.domains\nX,,'
  const refused = await imported(api, both, { resource: 'projects', mode: 'create' })
  expect(refused.attributes).toMatchObject({ state: 'failed' })
  expect(JSON.stringify(refused.attributes)).toContain('both go to custom_fields.account')
})

it('An import by NDJSON takes what an export has, and creates what is missing', async () => {
  const { api } = workspace
  const create = { name: 'New' }
  const partners = [{ match: { field: 'domains', value: 'new.example' }, create }, bolt]
  const line = JSON.stringify({ name: 'Four', custom_fields: { partners } })
  const options = { resource: 'projects', format: 'ndjson', mode: 'create' }
  const job = await imported(api, `${line}\n${line}\n`, options)
  expect(job.attributes.progress).toMatchObject({ created: 2, failed: 0 })
  const { records } = await readExport(api, '/projects/export?filter[name][$eq]=Four')
  const [first, second] = records.map(({ attributes }) => attributes.custom_fields.partners)
  expect(first).toEqual([
    { id: expect.any(String), type: 'companies' },
    { id: bolt, type: 'companies' },
  ])
  expect(second).toEqual(first)
})

it('Types and JSON Schema know references', async () => {
  const env = { KITH_URL: inject('service').url, KITH_TOKEN: workspace.api.token }
  const { stdout } = await runKith(['types'], env)
  expect(stdout).toContain("account: Identifier<'companies'> | null\n")
  expect(stdout).toContain("partners: Identifier<'companies'>[]\n")
  expect(stdout).toContain("lead: Identifier<'users'> | null\n")
  expect(stdout).toMatch(/import type \{ [\w, ]*Identifier[\w, ]* \} from '@kith\/sdk'/)
  const schema = (await workspace.api.get('/schema/projects?format=json-schema')).body
  const values = JSON.stringify(schema)
  expect(values).toContain('"account":{"title":"Account","x-kith-type":"record"')
  expect(values).toContain('{"const":"companies"}')
})
