import { join } from 'node:path'
import { expect, it } from 'vitest'
import { writeBackup } from '../../../src/backup/write-backup.ts'
import { sql } from '../../../src/storage/engines/sql.ts'
import { closeWorkspace, deleteClosedWorkspace } from '../../../src/storage/tables/expiry.ts'
import { insertWorkspace } from '../../../src/storage/tables/workspaces.ts'
import { testEngine } from '../../engine.ts'
import { newFolder } from '../../installation.ts'

const at = '2026-01-01T00:00:00.000Z'

function workspaceRow(id: string) {
  return {
    id,
    name: id,
    slug: id,
    fields_version: 1,
    trial_ends_at: at,
    created_at: at,
    created_by: null,
    subscription_status: null,
    stripe_customer_id: null,
    stripe_subscription_id: null,
    stripe_event_at: null,
    complimentary: 0,
    paused_at: null,
    require_second_factor: 0,
  }
}

it('a new table of a workspace is in its backup and is purged with it, without further code', async () => {
  const engine = await testEngine()
  const { single: db } = engine
  // The second table references the first, and its name sorts before it.
  await sql`create table shops (id text primary key, workspace_id text not null references workspaces (id))`.run(db)
  await sql`create table orders (
    id text primary key, workspace_id text not null, shop_id text not null references shops (id))`.run(db)
  for (const id of ['closed', 'open']) {
    await insertWorkspace(engine, db, workspaceRow(id))
    await sql`insert into shops (id, workspace_id) values (${`shop ${id}`}, ${id})`.run(db)
    await sql`insert into orders (id, workspace_id, shop_id) values (${`order ${id}`}, ${id}, ${`shop ${id}`})`.run(db)
  }
  const { tables } = await writeBackup(engine, join(newFolder(), 'new.kith'), { now: new Date(at) })
  expect(tables).toMatchObject({ shops: 2, orders: 2, workspaces: 2 })
  await closeWorkspace(db, 'closed', at)
  await deleteClosedWorkspace(engine, { id: 'closed', number: 1 })
  expect(await sql`select workspace_id from shops`.all(db)).toEqual([{ workspace_id: 'open' }])
  expect(await sql`select workspace_id from orders`.all(db)).toEqual([{ workspace_id: 'open' }])
  expect(await sql`select id from workspaces`.all(db)).toEqual([{ id: 'open' }])
  await engine.close()
})
