import { registry } from '@kith/contract/registry'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { removeRecord } from '../../src/records/trash/restore.ts'
import { createRecord, updateRecord } from '../../src/records/write.ts'
import { labelField } from '../../src/storage/engines/search-fields.ts'
import { sql } from '../../src/storage/engines/sql.ts'
import { openRoom, type Room } from '../both/custom-fields/room.ts'

let room: Room
beforeAll(async () => {
  room = await openRoom()
})
afterAll(() => room.close())

const unasked = { raw: {}, loose: false, issues: [] }

async function company(name: string): Promise<string> {
  const { data } = await createRecord(await room.enter(), registry.companies, { body: { name }, asked: unasked })
  return data()[0]?.id ?? ''
}

async function rename(id: string, name: string): Promise<void> {
  await updateRecord(await room.enter(), registry.companies, { id, body: { name }, asked: unasked })
}

async function found(part: string): Promise<string[]> {
  const { engine, workspace } = await room.enter()
  const containing = engine.search.containing(workspace.number, labelField('companies'), [part])
  return sql<string>`select r.id from (${containing}) c join records r on r.number = c.record`.column(engine.db)
}

async function freshCount(): Promise<number> {
  const row = await sql<{ fresh: number }>`select count(*) as fresh from search_fresh`.one(room.runtime.engine.db)
  return row?.fresh ?? 0
}

/** Without writes, the indexes soon have all texts. */
async function indexed(): Promise<void> {
  await vi.waitFor(async () => expect(await freshCount()).toBe(0), { timeout: 60_000, interval: 20 })
}

const moments = [
  { before: false, after: false },
  { before: false, after: true },
  { before: true, after: false },
  { before: true, after: true },
]

it.each(moments)(
  'finds each name once, as it is now, indexed before a change: $before, after: $after',
  async (when) => {
    // Long parts go to the index of names, short ones to the trigrams: each word is in one round only.
    const word = when.before ? 'amber' : 'birch'
    const place = when.after ? 'harbour' : 'meadow'
    const renamed = await company(`${word} ${place} studios`)
    const removed = await company(`${word} ${place} works`)
    const kept = await company(`${word} ${place} shipping`)
    if (when.before) await indexed()
    expect((await found(`${word} ${place}`)).toSorted()).toEqual([renamed, removed, kept].toSorted())
    await rename(renamed, `${word} ${place} theatre company`)
    await removeRecord(await room.enter(), registry.companies, { id: removed })
    if (when.after) await indexed()
    expect((await found(`${word} ${place}`)).toSorted()).toEqual([renamed, kept].toSorted())
    expect(await found(`${place} theatre company`)).toContain(renamed)
    expect(await found(`${word} ${place} studios`)).toEqual([])
    expect(await found(`${word} ${place} works`)).toEqual([])
    expect((await found(word)).filter((id) => id === renamed)).toHaveLength(1)
  },
)

it('never leaves more than a few hundred to be looked through', async () => {
  const names = Array.from({ length: 600 }, (_, index) => `crowd of many ${index}`)
  const ids: string[] = []
  let most = 0
  for (let at = 0; at < names.length; at += 50) {
    ids.push(...(await Promise.all(names.slice(at, at + 50).map(company))))
    most = Math.max(most, await freshCount())
  }
  expect(most).toBeLessThan(512)
  expect((await found('crowd of many')).toSorted()).toEqual(ids.toSorted())
  await indexed()
  expect((await found('crowd of many')).toSorted()).toEqual(ids.toSorted())
})

it('parts of the index are merged when half of them is deleted: by default many replaced texts make a commit of seconds', async () => {
  const { db } = room.runtime.engine
  expect(await sql<number>`select v from search_config where k = 'deletemerge'`.value(db)).toBe(50)
})
