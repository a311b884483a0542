import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import type { BenchData } from './data.ts'

/** The entries of the fill are this old, spread evenly. */
const OLDEST_DAYS = 200
const NEWEST_DAYS = 100
const DAY_MS = 86_400_000

/** Adds entries to the feed of a workspace and makes all its entries old. Uses SQL: no interface writes so many. */
export async function fillFeed({ url, slug }: BenchData, entries: number): Promise<void> {
  if (url.startsWith('file:')) fillSqlite(url.slice('file:'.length), slug, entries)
  else await fillPostgres(url, slug, entries)
}

const columns = 'id, kind, resource, record_id, at, changed, source'

function fillSqlite(path: string, slug: string, entries: number): void {
  const db = new DatabaseSync(path)
  try {
    // The only row of this statement is the workspace.
    const { id } = db.prepare('select id from workspaces where slug = ?').get(slug) as { id: string }
    db.prepare('update changes set at = ? where workspace_id = ?').run(momentsAgo(OLDEST_DAYS), id)
    const at = `strftime('%Y-%m-%dT%H:%M:%fZ', 'now',
      '-' || (${OLDEST_DAYS} - n * ${OLDEST_DAYS - NEWEST_DAYS} / ${entries}) || ' days')`
    db.prepare(`with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ${entries})
      insert into changes (workspace_id, sequence, ${columns})
      select ?1, (select coalesce(max(sequence), 0) from changes where workspace_id = ?1) + n,
        printf('bench%021d', n), 'updated', 'companies', printf('bench%021d', n % 1000), ${at}, '["name"]', 'api'
      from numbers`).run(id)
  } finally {
    db.close()
  }
}

async function fillPostgres(url: string, slug: string, entries: number): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const { rows } = await client.query('select id from workspaces where slug = $1', [slug])
    const { id } = rows[0]
    await client.query('update changes set at = $1 where workspace_id = $2', [momentsAgo(OLDEST_DAYS), id])
    const at = `to_char(now() at time zone 'utc'
      - make_interval(days => ${OLDEST_DAYS} - (n * ${OLDEST_DAYS - NEWEST_DAYS} / ${entries})::int),
      'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
    await client.query(
      `insert into changes (workspace_id, ${columns})
      select $1, 'bench' || lpad(n::text, 21, '0'), 'updated', 'companies', 'bench' || lpad((n % 1000)::text, 21, '0'),
        ${at}, '["name"]', 'api' from generate_series(1, ${entries}::bigint) n`,
      [id],
    )
    await client.query('select number_changes($1)', [id])
    await client.query('vacuum analyze changes')
    await client.query('vacuum analyze change_order')
  } finally {
    await client.end()
  }
}

function momentsAgo(days: number): string {
  return new Date(Date.now() - days * DAY_MS).toISOString()
}
