import { registry } from '@kith/contract/registry'
import { expect, it } from 'vitest'
import { updateRecord } from '../../../src/records/write.ts'
import { inSnapshot } from '../../../src/scope/scope.ts'
import type { Db } from '../../../src/storage/engines/engine.ts'
import { sql } from '../../../src/storage/engines/sql.ts'
import { made } from '../../records.ts'
import { numberOf } from '../../stored-rows.ts'
import { newWorkspace } from '../../workspace.ts'

async function world() {
  const workspace = await newWorkspace()
  const { engine } = workspace.runtime
  const { id } = await made(workspace.api, 'companies', { name: 'First' })
  const nameIn = async (db: Db) => {
    const row = await sql<{ name: string }>`select name from records where workspace = ${numberOf(workspace.id)}`.one(
      db,
    )
    return row?.name
  }
  const rename = (name: string) => workspace.api.put(`/companies/${id}`, { name })
  return { workspace, engine, id, nameIn, rename }
}

it('each read transaction keeps its own moment, and the end of one does not end another', async () => {
  const { engine, nameIn, rename } = await world()
  const [begun, ending] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const older = engine.readTransaction(async (inside) => {
    const before = await nameIn(inside)
    begun.resolve()
    await ending.promise
    return [before, await nameIn(inside)]
  })
  await begun.promise
  await rename('Second')
  expect(await engine.readTransaction(nameIn)).toBe('Second')
  expect(await nameIn(engine.db)).toBe('Second')
  ending.resolve()
  expect(await older).toEqual(['First', 'First'])
  expect(await engine.readTransaction(nameIn)).toBe('Second')
})

it('one that fails leaves nothing behind', async () => {
  const { engine, nameIn, rename } = await world()
  for (let time = 0; time < 5; time++) {
    const broken = engine.readTransaction(async (inside) => {
      await nameIn(inside)
      await inside.session.run('select 1 from no_such_table', [])
    })
    await expect(broken).rejects.toThrow('no_such_table')
    const refused = engine.readTransaction(async (inside) => {
      await nameIn(inside)
      throw new Error('refused')
    })
    await expect(refused).rejects.toThrow('refused')
  }
  await rename('Second')
  expect(await engine.readTransaction(nameIn)).toBe('Second')
})

it('what still runs in one that has failed reaches no connection of others', async () => {
  const { engine, nameIn } = await world()
  const failed = Promise.withResolvers<void>()
  let late: Promise<unknown> | undefined
  const reading = engine.readTransaction(async (inside) => {
    late = failed.promise.then(() => nameIn(inside))
    late.catch(() => {})
    await inside.session.run('select 1 from no_such_table', [])
  })
  await expect(reading).rejects.toThrow('no_such_table')
  failed.resolve()
  await expect(late).rejects.toThrow('The read transaction has ended.')
})

it('nothing is written inside one', async () => {
  const { engine, workspace, id, nameIn } = await world()
  const write = engine.readTransaction(async ({ session }) => session.run("update records set name = 'Other'", []))
  await expect(write).rejects.toThrow(/read-?only/)
  const asked = { raw: {}, loose: false, issues: [] }
  const operation = inSnapshot(await workspace.scope(), (inside) =>
    updateRecord(inside, registry.companies, { id, body: { name: 'Other' }, asked }),
  )
  await expect(operation).rejects.toThrow('A write cannot run inside a snapshot.')
  expect(await nameIn(engine.db)).toBe('First')
})
