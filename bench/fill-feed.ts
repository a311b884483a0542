import { DatabaseSync } from 'node:sqlite'
import { newId } from '@kith/contract/id'
import { DAY_MS } from '@kith/contract/limits'
import pg from 'pg'
import type { BenchData } from './data.ts'

/** The entries of the fill are this old, the same number for each day. */
const OLDEST_DAYS = 200
const NEWEST_DAYS = 100

/** Adds entries to the feed of a workspace and makes all its entries old. Uses SQL: no interface writes so many. */
export async function fillFeed({ url, slug }: BenchData, entries: number): Promise<void> {
  const days = Array.from({ length: OLDEST_DAYS - NEWEST_DAYS }, (_, index) => OLDEST_DAYS - index)
  const count = Math.max(1, Math.round(entries / days.length))
  const parts = days.slice(0, entries).map((day) => ({ ...momentsAgo(day), count }))
  if (url.startsWith('file:')) fillSqlite(url.slice('file:'.length), slug, parts)
  else await fillPostgres(url, slug, parts)
}

type Part = { at: string; prefix: string; count: number }

/** A time, and how the ids of that time begin. */
function momentsAgo(days: number): Omit<Part, 'count'> {
  const time = Date.now() - days * DAY_MS
  return { at: new Date(time).toISOString(), prefix: newId(time).slice(0, 10) }
}

const columns = 'id, kind, resource, entry, at'

/** The entry of a change from its kind on. */
function entryAt(at: string): string {
  return (
    `,"kind":"updated","resource":"companies","record_id":"01m7mnkmg5rv3m6zht5sw7qmr8","at":"${at}",` +
    '"changed":["name"],"merged_into":null,"external_ids":{},' +
    '"origin":{"source":"api","actor_id":null,"token_id":null,"own":false}}}'
  )
}

function fillSqlite(path: string, slug: string, parts: readonly Part[]): void {
  const db = new DatabaseSync(path)
  try {
    // The only row of this statement is the workspace.
    const { id } = db.prepare('select id from workspaces where slug = ?').get(slug) as { id: string }
    const oldest = momentsAgo(OLDEST_DAYS)
    db.prepare('update changes set at = ?1, latest_at = ?1, id = ?2 || substr(id, 11) where workspace_id = ?3').run(
      oldest.at,
      oldest.prefix,
      id,
    )
    const fill = db.prepare(`insert into changes (workspace_id, sequence, ${columns}, latest_at)
      with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ?4)
      select ?1, (select coalesce(max(sequence), 0) from changes where workspace_id = ?1) + n,
        ?2 || printf('%016d', n), 'updated', 'companies', ?5, ?3, ?3 from numbers`)
    for (const { at, prefix, count } of parts) fill.run(id, prefix, at, count, entryAt(at))
  } finally {
    db.close()
  }
}

async function fillPostgres(url: string, slug: string, parts: readonly Part[]): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const { rows } = await client.query('select id from workspaces where slug = $1', [slug])
    const { id } = rows[0]
    await client.query('select number_changes($1)', [id])
    const oldest = momentsAgo(OLDEST_DAYS)
    await client.query(
      'update changes set at = $1, latest_at = $1, id = $2 || substr(id, 11) where workspace_id = $3',
      [oldest.at, oldest.prefix, id],
    )
    for (const { at, prefix, count } of parts) {
      await client.query(
        `insert into new_changes (workspace_id, ${columns})
        select $1, $2 || lpad(n::text, 16, '0'), 'updated', 'companies', $5, $3 from generate_series(1, $4::bigint) n`,
        [id, prefix, at, count, entryAt(at)],
      )
      await client.query('select number_changes($1)', [id])
    }
    await client.query('vacuum analyze changes')
    await client.query('vacuum analyze new_changes')
  } finally {
    await client.end()
  }
}
