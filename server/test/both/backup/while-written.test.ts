import { join } from 'node:path'
import { expect, it } from 'vitest'
import { enterAsOperator } from '../../../src/accounts/workspace.ts'
import { reindexWorkspace } from '../../../src/records/reindex.ts'
import { loadSample } from '../../../src/sample/load.ts'
import type { Runtime } from '../../../src/scope/scope.ts'
import { sql } from '../../../src/storage/engines/sql.ts'
import { derived } from '../../derived/derived-state.ts'
import { installation, newFolder } from '../../installation.ts'
import { inRun, isLong } from '../../run-length.ts'
import { storedRecords } from '../../stored-rows.ts'
import { newWorkspace, runtimeAt, type TestWorkspace } from '../../workspace.ts'

const WRITERS = inRun({ short: 2, long: 6 })
const RECORDS = inRun({ short: 1200, long: 2500 })

type Steps = { made: number[]; stop(): Promise<void> }

/** Writers that each make a company, then its person, then rename the company after it, again and again. */
function keepWriting({ api }: TestWorkspace): Steps {
  const made = Array.from({ length: WRITERS }, () => 0)
  let going = true
  const writers = made.map(async (_, writer) => {
    for (let step = 0; going; step++) {
      const company = await api.post('/companies', {
        name: `${writer} ${step}`,
        custom_fields: { domains: [`w${writer}-${step}.example`] },
      })
      const person = await api.post('/people', { name: `${writer} ${step}`, company_id: company.body.data.id })
      const renamed = await api.put(`/companies/${company.body.data.id}`, { name: `of ${person.body.data.id}` })
      if (renamed.status !== 200) throw new Error(renamed.text)
      made[writer] = step + 1
    }
  })
  return {
    made,
    async stop() {
      going = false
      await Promise.all(writers)
    },
  }
}

type Copy = {
  companies: { id: string; name: string }[]
  people: { id: string; name: string; company_id: string | null }[]
}

async function readCopy(runtime: Runtime, id: string): Promise<Copy> {
  const { db } = runtime.engine
  const companies = sql<Copy['companies'][number]>`
    select id, name from ${storedRecords('companies')} where workspace_id = ${id} and creation_source = 'api'`
  const people = sql<
    Copy['people'][number]
  >`select id, name, company_id from ${storedRecords('people')} where workspace_id = ${id}`
  return { companies: await companies.all(db), people: await people.all(db) }
}

it('8. kith backup while the API writes gives one moment of the database, with all that was answered before it', async () => {
  const origin = await installation()
  const service = await origin.start()
  const runtime = runtimeAt(origin.database.url, origin.env.SECRET ?? '')
  const workspace = await newWorkspace({ url: service.url, runtime })
  // Enough that the copy takes its time.
  await loadSample(await workspace.scope(), {
    sizes: { companies: RECORDS, people: 0, opportunities: 0, tasks: 0, notes: RECORDS },
    seed: 1,
  })
  const writing = keepWriting(workspace)
  // The first write takes as long as it takes the service to get ready for it.
  await expect.poll(() => writing.made.every((made) => made > 0)).toBe(true)
  const folder = newFolder()
  const copies: { file: string; before: number[]; after: number[] }[] = []
  for (const name of isLong ? ['a', 'b'] : ['a']) {
    const before = [...writing.made]
    const file = join(folder, name)
    const ran = await origin.kith('backup', file)
    expect(ran, ran.stderr).toMatchObject({ code: 0, stderr: '' })
    copies.push({ file, before, after: [...writing.made] })
  }
  await writing.stop()
  await runtime.engine.close()
  // Something was written while each of them was made, or this says nothing.
  expect(copies.every(({ before, after }) => after.some((made, writer) => made > (before[writer] ?? 0)))).toBe(true)

  for (const { file, before } of copies) {
    const fresh = await installation()
    const ran = await fresh.kith('restore', file)
    expect(ran, ran.stderr).toMatchObject({ code: 0, stderr: '' })
    const restored = runtimeAt(fresh.database.url, fresh.env.SECRET ?? '')
    const { companies, people } = await readCopy(restored, workspace.id)
    const ids = new Set(companies.map((company) => company.id))
    const names = new Map(people.map((person) => [person.name, person]))
    // Every person's company is there, and every name that a company got from a person.
    expect(people.filter((person) => person.company_id === null || !ids.has(person.company_id))).toEqual([])
    const known = new Set(people.map((person) => `of ${person.id}`))
    expect(companies.filter(({ name }) => name.startsWith('of ') && !known.has(name))).toEqual([])
    for (let writer = 0; writer < WRITERS; writer++) {
      const steps = people.filter((person) => person.name.startsWith(`${writer} `)).length
      expect(steps).toBeGreaterThanOrEqual(before[writer] ?? 0)
      // No step is missing between the first and the last.
      for (let step = 0; step < steps; step++) expect(names.has(`${writer} ${step}`)).toBe(true)
    }
    const here = { ...workspace, runtime: restored }
    const kept = await derived(here)
    expect(kept.counts).toMatchObject({ people: people.length, notes: RECORDS })
    await reindexWorkspace(await enterAsOperator(restored, workspace.slug))
    expect(await derived(here)).toEqual(kept)
    await restored.engine.close()
  }
})
