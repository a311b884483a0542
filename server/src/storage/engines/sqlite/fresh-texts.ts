import type { Db } from '../engine.ts'
import { fixed } from '../fixed.ts'
import type { Besides } from '../group-commit.ts'

/**
 * Texts that the search indexes of SQLite do not know yet stand in `search_fresh` by their numbers: those that were put since, and those that
 * were taken away. FTS5 writes a piece of its index for every transaction that touches it, and merges the pieces later: for a few texts at a time
 * that was a third of all that the writer did. Searches look through the few fresh texts themselves, and the indexes learn of them many at a time.
 */
const FRESH_MAX = 256

/** A file that is about to be made has no tables yet. */
const table = fixed<{ name: string }>(`select name from sqlite_schema where name = 'search_fresh'`)

/** Not the number itself, which may be too large for JavaScript. */
const gathered = fixed<{ found: 1 }>('select 1 as found from search_fresh limit 1 offset ?')

const gone = 'select n.seq from search_fresh n where not exists (select 1 from search_texts t where t.seq = n.seq)'

const steps = [
  `delete from search where rowid in (${gone})`,
  `insert or replace into search (rowid, text)
   select t.seq, t.text from search_fresh n cross join search_texts t on t.seq = n.seq order by t.seq`,
  'delete from search_fresh',
].map((text) => fixed(text))

/** Tells the search indexes of all fresh texts: when many have gathered, and all that are left when nobody writes. */
export function indexingFresh(): Besides {
  let isKept = false
  async function index(inside: Db, atLeast: number): Promise<void> {
    isKept ||= (await table(inside, [])).length > 0
    if (!isKept || (await gathered(inside, [atLeast - 1])).length === 0) return
    for (const step of steps) await step(inside, [])
  }
  return { atEnd: (inside) => index(inside, FRESH_MAX), atRest: (inside) => index(inside, 1) }
}
