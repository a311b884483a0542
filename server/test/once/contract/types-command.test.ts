import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, inject, it } from 'vitest'
import { samples, valueTypeNames } from '../../field-samples.ts'
import { runKith } from '../../run-kith.ts'
import { newWorkspace } from '../../workspace.ts'

const root = join(import.meta.dirname, '../../../..')

/** A program on the client with the generated types. Lines that should not compile say so. */
const program = `
import { createClient } from '@kith/sdk'
import type { WorkspaceFields } from './kith-types.ts'

const kith = createClient<WorkspaceFields>({ url: 'http://localhost', token: 'kith_x' })
kith.notes.create({ title: 'One', custom_fields: { my_select: 'A', my_multi_select: ['B'], my_number: '1' } })
kith.opportunities.list({ filter: { custom_fields: { stage: { $in: ['Proposal'] } } }, sort: 'custom_fields.stage' })
kith.companies.upsert({ name: 'Acme', match: { field: 'domains', value: 'acme.com' } })
const { data } = await kith.notes.read('x')
const label: 'A' | 'B' | undefined = data.attributes.custom_fields.my_select?.label
const odd: "It's */ \\"odd\\"" | undefined = data.attributes.custom_fields.odd?.label
const emails: string[] = data.attributes.custom_fields.my_email
const projects = kith.resource('projects')
projects.create({ name: 'Apollo', owner_id: null, custom_fields: { goal: 'Moon' } })
projects.list({ filter: { custom_fields: { goal: { $eq: 'Moon' } }, owner: { $in: ['x'] } }, include: ['tasksCount'] })
kith.batch([{ op: 'create', resource: 'projects', data: { name: 'Apollo' } }])
const goal: string | null = (await projects.read('x', { include: ['owner'] })).data.attributes.custom_fields.goal
// @ts-expect-error The stage has no such option.
kith.opportunities.update('x', { custom_fields: { stage: 'Nope' } })
// @ts-expect-error Filters know the options, too.
kith.opportunities.list({ filter: { custom_fields: { stage: { $in: ['Nope'] } } } })
// @ts-expect-error The resource has no such field.
projects.create({ name: 'Apollo', custom_fields: { gaol: 'Moon' } })
// @ts-expect-error Own resources have no such relation.
projects.list({ include: ['company'] })
// @ts-expect-error The workspace has no such field.
kith.notes.create({ title: 'One', custom_fields: { my_selct: 'A' } })
// @ts-expect-error The option does not exist.
const wrong: 'C' | undefined = data.attributes.custom_fields.my_select?.label
export { emails, goal, label, odd, wrong }
`

it('kith types writes types that make the client know the custom fields', async () => {
  const { api, field, slug } = await newWorkspace()
  for (const type of valueTypeNames) {
    await field('notes', { name: type, type, code: `my_${type.replaceAll('-', '_')}`, ...samples[type].rest })
  }
  await field('notes', { name: 'Odd */ one', type: 'select', code: 'odd', options: [`It's */ "odd"`] })
  await field('notes', { name: 'None', type: 'select' })
  await api.post('/schema', { name: 'Projects', singular: 'Project' })
  await field('projects', { name: 'Goal', type: 'text' })
  const env = { KITH_URL: inject('service').url, KITH_TOKEN: api.token }
  const { code, stdout, stderr } = await runKith(['types'], env)
  expect([code, stderr]).toEqual([0, ''])
  expect(stdout).toContain(`workspace Workspace ${slug}, schema version `)
  expect(stdout).toContain('    /** Domains (domain, unique) */\n    domains: string[]\n')
  const folder = mkdtempSync(join(tmpdir(), 'kith-types-'))
  try {
    writeFileSync(join(folder, 'kith-types.ts'), stdout)
    writeFileSync(join(folder, 'program.ts'), program)
    const compilerOptions = {
      target: 'es2024',
      module: 'nodenext',
      strict: true,
      noEmit: true,
      allowImportingTsExtensions: true,
      lib: ['es2025', 'dom', 'dom.asynciterable', 'esnext'],
      types: [],
      skipLibCheck: true,
      paths: { '@kith/sdk': [join(root, 'sdk/src/client.ts')], '@kith/contract/*': [join(root, 'contract/src/*.ts')] },
    }
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }))
    writeFileSync(join(folder, 'package.json'), '{"type": "module"}')
    const tsc = [join(root, 'node_modules/typescript/bin/tsc'), '--project', folder]
    const compiled = await promisify(execFile)(process.execPath, tsc).catch((error: { stdout: string }) => error)
    expect(compiled.stdout).toBe('')
  } finally {
    rmSync(folder, { recursive: true })
  }
  const json = await runKith(['types', '--json'], env)
  expect(JSON.parse(json.stdout)).toEqual({ version: expect.any(Number), types: stdout.slice(0, -1) })
  expect((await runKith(['types'], {})).stderr).toContain('KITH_URL')
})
