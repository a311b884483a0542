import { expect, it } from 'vitest'
import { sql } from '../../src/storage/engines/sql.ts'
import { testEngine } from '../engine.ts'

/** Accounts: by the hash of a token or link, or by a user, before the workspace is known. */
const ofAccounts = [
  'connections_client',
  'connections_pkey',
  'connections_user',
  'invitations_hash_key',
  'members_user',
  'password_links_creator',
  'password_links_pkey',
  'password_links_user',
  'tokens_hash_key',
  'tokens_pkey',
  'tokens_user',
]

/** Work that is waiting in any workspace. The indexes hold the rows that wait, and reminders at a chosen time. */
const ofWorkers = [
  'jobs_unfinished',
  'merges_undoable',
  'notifications_mail',
  'reminders_time',
  'webhooks_leased',
  'webhooks_noticed',
  'webhooks_running',
]

/**
 * So that PostgreSQL can be spread over servers by workspace (docs/operate/scaling.md), and no query of one workspace
 * reads the rows of another.
 */
it('every key of workspace data starts with the workspace', async () => {
  const engine = await testEngine()
  const keys = await sql<string>`
    select c.relname from pg_index i join pg_class c on c.oid = i.indexrelid
    join pg_attribute w on w.attrelid = i.indrelid and w.attname in ('workspace_id', 'workspace') and not w.attisdropped
    where c.relnamespace = 'public'::regnamespace and i.indkey[0] <> w.attnum order by 1`.column(engine.db)
  const tables = await sql`select count(*) as n from pg_attribute where attname in ('workspace_id', 'workspace')
    and attrelid in (select oid from pg_class where relkind = 'r')`.count(engine.db)
  await engine.close()
  expect(tables).toBeGreaterThan(20)
  expect(keys).toEqual([...ofAccounts, ...ofWorkers].sort())
})
