import type { Db } from '../engine.ts'
import { fixed } from '../fixed.ts'

/**
 * `search_fresh` lists the texts that were added, changed or removed since the search index was last updated. FTS5
 * writes
 * a segment of its index in every transaction that touches it, and merges the segments later: for a few texts at a time
 * that took a third of the writer's time. So the index is updated with many at a time, and searches scan the few fresh
 * ones.
 */

/** A new file has no tables yet. */
const table = fixed<{ name: string }>(`select name from sqlite_schema where name = 'search_fresh'`)

/** Selects no row number, which may be too large for JavaScript. */
const waiting = fixed<{ found: 1 }>('select 1 as found from search_fresh limit 1 offset ?')

const gone = 'select n.seq from search_fresh n where not exists (select 1 from search_texts t where t.seq = n.seq)'

const steps = [
  `delete from search where rowid in (${gone})`,
  `insert or replace into search (rowid, text)
   select t.seq, t.text from search_fresh n cross join search_texts t on t.seq = n.seq order by t.seq`,
  'delete from search_fresh',
].map((text) => fixed(text))

/** Adds all fresh texts to the search index, if there are at least this many. */
export async function indexFresh(inside: Db, atLeast: number): Promise<void> {
  if ((await table(inside, [])).length === 0 || (await waiting(inside, [atLeast - 1])).length === 0) return
  for (const step of steps) await step(inside, [])
}
