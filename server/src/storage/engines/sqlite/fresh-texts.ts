import type { Db } from '../engine.ts'
import { sql } from '../sql.ts'

/**
 * Adds all fresh texts to the search index, if there are at least this many. `search_fresh` lists the texts that were
 * added, changed or removed since the search index was last updated. FTS5 writes a segment of its index in every
 * transaction that touches it, and merges the segments later: for a few texts at a time that took a third of the
 * writer's time. So the index is updated with many at a time, and searches scan the few fresh ones.
 */
export async function indexFresh(inside: Db, atLeast: number): Promise<void> {
  // A new file has no tables yet.
  if (!(await sql`select 1 from sqlite_schema where name = 'search_fresh'`.exists(inside))) return
  // Selects no row number, which may be too large for JavaScript.
  if (!(await sql`select 1 from search_fresh limit 1 offset ${atLeast - 1}`.exists(inside))) return
  await sql`delete from search where rowid in (
    select n.seq from search_fresh n where not exists (select 1 from search_texts t where t.seq = n.seq))`.run(inside)
  await sql`insert or replace into search (rowid, text)
    select t.seq, t.text from search_fresh n cross join search_texts t on t.seq = n.seq order by t.seq`.run(inside)
  await sql`delete from search_fresh`.run(inside)
}
