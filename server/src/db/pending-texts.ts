import type { ResourceName } from '@kith/contract/resource'
import type { Db, SearchText } from './engine.ts'
import { sql } from './sql.ts'

/**
 * Texts that wait for the end of their transaction, or for a statement that asks the search index. While FTS5 holds texts that it
 * has not written down, it writes them down before every statement that may have to be taken back on its own: that made
 * up half of a create and most of an update. All that a group of transactions brings goes into the index at once instead.
 */
export type PendingTexts = {
  put(workspaceId: string, table: ResourceName, texts: readonly SearchText[]): void
  remove(workspaceId: string, table: ResourceName, recordId: string, shelves: readonly string[]): void
  /** How many texts were ever brought: it moves when anything is brought. */
  brought(): number
  /** Writes down all that waits. */
  settle(inside: Db): Promise<void>
  /** Forgets all that waits. */
  drop(): void
}

type Pending = { workspaceId: string; table: ResourceName; record_id: string; shelf: string; text: string | null }

export function pendingTexts(): PendingTexts {
  // By record and shelf, so that of several texts for one place the last remains.
  let waiting = new Map<string, Pending>()
  let count = 0
  const bring = (pending: Pending) => {
    count++
    waiting.set(`${pending.workspaceId} ${pending.record_id} ${pending.shelf}`, pending)
  }
  return {
    put(workspaceId, table, texts) {
      for (const { record_id, shelf, text } of texts) bring({ workspaceId, table, record_id, shelf, text })
    },
    remove(workspaceId, table, record_id, shelves) {
      for (const shelf of shelves) bring({ workspaceId, table, record_id, shelf, text: null })
    },
    brought: () => count,
    async settle(inside) {
      if (waiting.size === 0) return
      const all = [...waiting.values()]
      waiting = new Map()
      const groups = Map.groupBy(all, ({ workspaceId, table }) => `${workspaceId} ${table}`)
      for (const group of groups.values()) await writeDown(inside, group)
    },
    drop() {
      waiting = new Map()
    },
  }
}

/** Texts of one workspace and resource. */
async function writeDown(inside: Db, group: readonly Pending[]): Promise<void> {
  await putTexts(
    inside,
    group.filter((one) => one.text !== null),
  )
  await removeTexts(
    inside,
    group.filter((one) => one.text === null),
  )
}

async function putTexts(inside: Db, texts: readonly Pending[]): Promise<void> {
  const [first] = texts
  if (!first) return
  await sql`
    insert or replace into search_texts (seq, record_id, text)
    select (s.seq << 40) | r.seq, r.id, t.value ->> 2 ${placesOf(first, texts)}`.execute(inside)
}

async function removeTexts(inside: Db, texts: readonly Pending[]): Promise<void> {
  const [first] = texts
  if (!first) return
  await sql`
    delete from search_texts where seq in (select (s.seq << 40) | r.seq as seq ${placesOf(first, texts)})`.execute(
    inside,
  )
}

/**
 * The texts `t` with their shelf `s` and their record `r`. As JSON, so that it is one statement, and one text of it, however many
 * there are: in the order of their numbers, in which both tables take them best.
 */
function placesOf({ workspaceId, table }: Pending, texts: readonly Pending[]) {
  const rows = JSON.stringify(texts.map(({ record_id, shelf, text }) => [record_id, shelf, text]))
  return sql`from json_each(${rows}) t
    cross join shelves s on s.workspace_id = ${workspaceId} and s.name = t.value ->> 1
    cross join ${sql.table(table)} r on r.workspace_id = ${workspaceId} and r.id = t.value ->> 0
    order by 1`
}
