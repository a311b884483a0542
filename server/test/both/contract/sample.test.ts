import { DAY_MS } from '@kith/contract/limits'
import { registry } from '@kith/contract/registry'
import { describe, expect, inject, it } from 'vitest'
import { enterAsOperator } from '../../../src/accounts/workspace.ts'
import { createWorkspace } from '../../../src/accounts/workspaces.ts'
import { listRecords } from '../../../src/records/list.ts'
import { loadSample } from '../../../src/sample/load.ts'
import { runKith } from '../../run-kith.ts'
import { type Specified, specified } from '../../specified.ts'
import { newUser, testRuntime } from '../../test-runtime.ts'
import { newWorkspace } from '../../workspace.ts'

const sizes = { companies: 7, people: 9, opportunities: 5, tasks: 4, notes: 3 } satisfies Record<Specified, number>

/** All that a sample puts into a new workspace of this slug, ids included, the owner's id aside. */
async function sampled(seed: number): Promise<string> {
  const runtime = await testRuntime()
  const owner = await newUser(runtime)
  await createWorkspace(runtime, { name: 'Acme', slug: 'acme', owner: owner.email })
  const scope = await enterAsOperator(runtime, 'acme', 'sample')
  await loadSample(scope, { sizes, seed })
  const shown: unknown[] = []
  for (const type of specified) {
    const raw = { per_page: 100, include: Object.keys(registry[type].relations).join(',') }
    shown.push((await listRecords(scope, registry[type], { raw, loose: true, issues: [] })).data())
  }
  await runtime.engine.close()
  return withoutOptionIds(JSON.stringify(shown).replaceAll(owner.id, 'the owner'))
}

/** Options are of the workspace, which is another one each time. */
function withoutOptionIds(text: string): string {
  return text.replace(/"id":"[0-9a-z]{26}","label"/g, '"label"')
}

describe('8. kith sample', () => {
  it('makes the given number of records of each resource, which the service shows at once', async () => {
    const { api, slug } = await newWorkspace()
    for (const type of specified) expect((await api.get(`/${type}`)).body.meta.total).toBe(0)
    const { database_url, secret } = inject('service')
    const counts = Object.entries(sizes).flatMap(([type, size]) => [`--${type}`, String(size)])
    const args = ['sample', '--workspace', slug, ...counts, '--json']
    const ran = await runKith(args, { DATABASE_URL: database_url, SECRET: secret })
    expect(ran).toMatchObject({ code: 0, stderr: '' })
    expect(JSON.parse(ran.stdout)).toEqual({ records: 28, seconds: expect.any(Number) })
    for (const type of specified) {
      const { data, meta } = (await api.get(`/${type}?per_page=100&filter[creation_source][$eq]=sample`)).body
      expect([type, data.length, meta.total]).toEqual([type, sizes[type], sizes[type]])
    }
  })

  it('makes a small useful set without numbers: companies, people, open opportunities, tasks that are due, notes', async () => {
    const { api, slug } = await newWorkspace()
    const { database_url, secret } = inject('service')
    const env = { DATABASE_URL: database_url, SECRET: secret }
    const { code, stdout } = await runKith(['sample', '--workspace', slug], env)
    expect(code).toBe(0)
    expect(stdout).toMatch(/^Created 40 companies, 90 people, 50 opportunities, 40 tasks, 30 notes in [\d.]+ s\.\n$/)
    for (const type of specified) {
      expect((await api.get(`/${type}`)).body.meta.total).toBeGreaterThanOrEqual(30)
    }
    type Shown = { attributes: { custom_fields: { stage: { label: string }; due_date: string } } }
    const valuesOf = async (query: string) => {
      const { data }: { data: Shown[] } = (await api.get(`/${query}&per_page=100`)).body
      return data.map((one) => one.attributes.custom_fields)
    }
    const stages = new Set((await valuesOf('opportunities?')).map(({ stage }) => stage.label))
    expect(stages.size).toBeGreaterThanOrEqual(5)
    const open = await valuesOf('tasks?filter[custom_fields][status][$not_in]=Done')
    expect(open.length).toBeGreaterThanOrEqual(5)
    const daysAway = open.map(({ due_date: time }) => Math.abs(Date.parse(time) - Date.now()) / DAY_MS)
    expect(Math.max(...daysAway)).toBeLessThan(25)
  })

  it('reports in one line what it cannot make', async () => {
    const { slug } = await newWorkspace()
    const { database_url, secret } = inject('service')
    const ran = await runKith(['sample', '--workspace', slug, '--people', 'many'], {
      DATABASE_URL: database_url,
      SECRET: secret,
    })
    expect(ran).toEqual({ code: 1, stdout: '', stderr: '--people must be a whole number from 0 to 10000000.\n' })
  })

  it('is deterministic: the same records for the same seed, others for another', async () => {
    const first = await sampled(1)
    expect(await sampled(1)).toBe(first)
    expect(await sampled(2)).not.toBe(first)
  })
})
