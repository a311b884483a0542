import { registry } from '@kith/contract/registry'
import type { BuiltInName } from '@kith/contract/resource'
import { perResource, resourceNames } from '@kith/contract/resource'
import { describe, expect, inject, it } from 'vitest'
import { createUser } from '../../src/accounts/users.ts'
import { enterAsOperator } from '../../src/accounts/workspace.ts'
import { createWorkspace } from '../../src/accounts/workspaces.ts'
import { reindex } from '../../src/commands/reindex.ts'
import { parseArguments } from '../../src/commands/run-command.ts'
import { withDatabase } from '../../src/commands/with-database.ts'
import { readConfig } from '../../src/config.ts'
import { reindexWorkspace } from '../../src/records/reindex.ts'
import { loadSample } from '../../src/sample/load.ts'
import { archiveField, restoreField } from '../../src/schema/define.ts'
import { labelField } from '../../src/storage/engines/search-fields.ts'
import { sql } from '../../src/storage/engines/sql.ts'
import { migratedDatabase } from '../engine.ts'
import { runKith } from '../run-kith.ts'
import { inRun } from '../run-length.ts'
import { isStored } from '../stored-rows.ts'
import { newWorkspace, type TestWorkspace } from '../workspace.ts'
import { derived } from './derived-state.ts'
import { writeAtRandom } from './random-writes.ts'

const seeds = ['one', 'two', 'three', 'four'].slice(0, inRun({ short: 1, long: 4 }))

/** How often each kind of thing was done to the records. */
async function deedsIn({ id, runtime }: TestWorkspace): Promise<Record<string, number>> {
  const rows = await sql<{ action: string; times: number }>`select action, count(*) as times from audit_log
    where workspace_id = ${id} and resource in (${sql.join(resourceNames)}) group by action`.all(runtime.engine.db)
  return Object.fromEntries(rows.map(({ action, times }) => [action, times]))
}

describe('The index is derived from the records, and a rebuild changes nothing', () => {
  it.each(seeds)('after writes of every kind (seed %s)', async (seed) => {
    const workspace = await newWorkspace()
    await writeAtRandom(workspace, seed, 150)
    const before = await derived(workspace)
    expect(before.values.length).toBeGreaterThan(20)
    expect(before.texts.length).toBeGreaterThan(20)
    const deeds = Object.keys(await deedsIn(workspace)).sort()
    expect(deeds).toEqual(['create', 'delete', 'merge', 'restore', 'undo_merge', 'update'])
    for (const resource of resourceNames) {
      const { body } = await workspace.api.post(`/${resource}/query`, {
        filter: { [registry[resource].label]: { $is_empty: false } },
      })
      expect(before.counts[resource], resource).toBe(body.meta.total)
    }
    await reindexWorkspace(await workspace.scope())
    expect(await derived(workspace)).toEqual(before)
  })

  it('in as many batches as it takes', async () => {
    const workspace = await newWorkspace()
    const sizes = { ...perResource(() => 0), companies: 1100, people: 512, opportunities: 513, tasks: 3 }
    await loadSample(await workspace.scope(), { sizes, seed: 1 })
    const before = await derived(workspace)
    expect(before.counts).toEqual(sizes)
    expect(await reindexWorkspace(await workspace.scope())).toBe(1100 + 512 + 513 + 3)
    expect(await derived(workspace)).toEqual(before)
  })

  it('a record that is deleted while a field is archived leaves nothing in it', async () => {
    const workspace = await newWorkspace()
    const { api } = workspace
    const address = { entity_type: 'people', code: 'job_title' } as const
    const made = await api.post('/people', { name: 'Ada', custom_fields: { job_title: 'Countess' } })
    await archiveField(await workspace.scope(), address)
    await api.delete(`/people/${made.body.data.id}`)
    expect(await derived(workspace)).toMatchObject({ values: [], texts: [] })
    await restoreField(await workspace.scope(), address)
    expect(await derived(workspace)).toMatchObject({ values: [], texts: [] })
  })
})

/** Makes everything that is derived wrong: lost, changed, and left over from what is gone. */
async function damage(workspace: TestWorkspace): Promise<void> {
  const { id, runtime } = workspace
  const { search } = runtime.engine
  await runtime.engine.transaction(async (inside) => {
    const { number } = (await workspace.scope()).workspace
    const rows = await sql<object>`select * from field_values where workspace = ${number}`.all(inside)
    const [first] = rows
    if (!first) throw new Error('There is nothing to damage.')
    await sql`delete from field_values where workspace = ${number}`.run(inside)
    const wrong = rows.slice(5).map((row) => ({ ...row, match_key: 'wrong', host_key: null }))
    const strays = [
      { ...first, record: 999_999 },
      { ...first, field: 999_999 },
      { ...first, place: 99 },
    ]
    for (const row of [...wrong, ...strays]) await sql`insert into field_values ${sql.values(row)}`.run(inside)
    await sql`update record_counts set live = 77 where workspace_id = ${id}`.run(inside)
    const ours = (type: BuiltInName) => isStored(id, type)
    await sql`update records set name_key = 'wrong' where ${ours('companies')}`.run(inside)
    const companies = await sql<number>`select number from records where ${ours('companies')}`.column(inside)
    await search.addFields(inside, number, [999_999])
    const texts = companies.flatMap((record) => [
      { record, field: 999_999, text: 'wrong' },
      { record, field: labelField(registry.companies), text: 'wrong' },
    ])
    await search.put(inside, number, texts)
    const person = await sql<number>`
      select number from records where ${ours('people')} and deleted_at is null`.value(inside)
    await search.removeAll(inside, number, [person ?? 0])
  })
}

describe('kith reindex brings back whatever was lost or is wrong', () => {
  it('of one workspace, and touches no other', async () => {
    const [workspace, neighbour] = [await newWorkspace(), await newWorkspace()]
    for (const one of [workspace, neighbour]) await writeAtRandom(one, 'damage', 80)
    const [right, other] = [await derived(workspace), await derived(neighbour)]
    await damage(workspace)
    const wrong = await derived(workspace)
    for (const part of ['values', 'texts', 'counts', 'names'] as const)
      expect(wrong[part], part).not.toEqual(right[part])

    const { database_url, secret } = inject('service')
    const ran = await runKith(['reindex', '--workspace', workspace.slug, '--json'], {
      DATABASE_URL: database_url,
      SECRET: secret,
    })
    expect(ran, ran.stderr).toMatchObject({ code: 0, stderr: '' })
    const records = Object.values(right.counts).reduce((sum, count) => sum + count, 0)
    expect(JSON.parse(ran.stdout)).toEqual([{ workspace: workspace.slug, records }])
    expect(await derived(workspace)).toEqual(right)
    expect(await derived(neighbour)).toEqual(other)

    const found = await workspace.api.get('/companies?filter[name][$contains]=wrong')
    expect(found.body.meta.total).toBe(0)
  })

  it('of all workspaces, unless one is named', async () => {
    const database = await migratedDatabase()
    const config = readConfig({ DATABASE_URL: database.url, SECRET: 'x'.repeat(32) })
    const ground = {
      config,
      creates: true,
      groups: {},
      now: () => new Date(),
      readInput: async () => new Uint8Array(),
      ending: () => new AbortController().signal,
      environment: () => ({}),
      printError() {},
      async write() {},
      isInteractive: false,
      columns: undefined,
      tell() {},
      async serve() {},
    }
    const run = async (...args: string[]) => {
      const { values } = parseArguments('reindex', reindex.options, args)
      return (await reindex.run(values, ground))?.text
    }
    expect(await run()).toBe('There is no workspace yet.')
    await withDatabase(ground, async (runtime) => {
      await createUser(runtime, { email: 'ada@example.com', name: 'Ada' })
      for (const slug of ['one', 'two']) await createWorkspace(runtime, { name: slug, slug, owner: 'ada@example.com' })
      const sizes = { companies: 3, people: 0, opportunities: 0, tasks: 0, notes: 1 }
      await loadSample(await enterAsOperator(runtime, 'two'), { sizes, seed: 1 })
    })
    expect(await run()).toBe('Indexed the records of one: 0.\nIndexed the records of two: 4.')
    expect(await run('--workspace', 'two')).toBe('Indexed the records of two: 4.')
    await expect(run('--workspace', 'tow')).rejects.toThrow('No workspace has the slug tow. Did you mean two?')
    await database.drop()
  })
})
