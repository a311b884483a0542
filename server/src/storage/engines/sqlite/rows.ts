import type { Db, Engine, InsertTarget, Rows } from '../engine.ts'
import { sql } from '../sql.ts'
import { columnsOf } from '../stored-table.ts'
import { keptTexts } from '../transactions.ts'

const ROWS_TOGETHER = 64

const insertText = keptTexts(({ table, columns }, rows) => {
  const names = columns.map((column) => `"${column.name}"`).join(', ')
  const row = `(${columns.map(() => '?').join(', ')})`
  return `insert into ${table} (${names}) values ${Array.from({ length: rows }, () => row).join(', ')}`
})

/** Inserts rows with few statements. */
export async function insertRows(inside: Db, into: InsertTarget, rows: Rows): Promise<void> {
  const [first] = rows
  if (!first) return
  if (rows.length === 1) {
    const text = into.numbered ? insertNumbered(into, 1) : insertText(into, 1)
    await inside.session.run(text, into.numbered ? [...first, first.at(-1), first[0], first[0], first[0]] : first)
    return
  }
  if (into.numbered) return insertRows(inside, numberedTarget(into), await numbered(inside, rows))
  for (let start = 0; start < rows.length; start += ROWS_TOGETHER) {
    const end = Math.min(start + ROWS_TOGETHER, rows.length)
    const values: unknown[] = []
    for (let i = start; i < end; i++) for (const value of rows[i] ?? []) values.push(value)
    await inside.session.run(insertText(into, end - start), values)
  }
}

/** Old changes are deleted, so that the last number may be in the heads only. */
const LAST = `max(ifnull((select max(sequence) from changes where workspace_id = ?), 0),
  ifnull((select sequence from change_heads where workspace_id = ?), 0))`

/** The highest time so far: see the schema of the feed. */
const LATEST = `ifnull((select latest_at from changes where workspace_id = ? order by sequence desc limit 1), '')`

/** One change, its number and the highest time, in one statement: most transactions have one. */
const insertNumbered = keptTexts((into) => {
  const names = numberedTarget(into).columns.map((column) => `"${column.name}"`)
  const own = into.columns.map(() => '?')
  return `insert into ${into.table} (${names.join(', ')}) values (${own.join(', ')}, max(?, ${LATEST}), ${LAST} + 1)`
})

const targets = new WeakMap<InsertTarget, InsertTarget>()

function numberedTarget(into: InsertTarget): InsertTarget {
  const columns = [...into.columns, ...columnsOf(['latest_at', 'sequence'], ['sequence'])]
  return targets.getOrInsertComputed(into, () => ({ table: into.table, columns }))
}

type Head = { latest: string; last: number }

/**
 * Gives each change the highest time so far and the next number of its workspace, which is its first column. Its own
 * time is the last. Nothing else writes meanwhile.
 */
async function numbered(inside: Db, rows: Rows): Promise<Rows> {
  const heads = new Map<unknown, Head>()
  for (const [workspaceId] of rows) {
    if (!heads.has(workspaceId)) heads.set(workspaceId, await loadHead(inside, workspaceId))
  }
  return rows.map((row) => {
    const { latest = '', last = 0 } = heads.get(row[0]) ?? {}
    const at = String(row.at(-1))
    const head = { latest: at > latest ? at : latest, last: last + 1 }
    heads.set(row[0], head)
    return [...row, head.latest, head.last]
  })
}

async function loadHead(inside: Db, id: unknown): Promise<Head> {
  const { rows } = await inside.session.run(`select ${LATEST} as latest, ${LAST} as last`, [id, id, id])
  // The statement selects one row.
  return (rows as [Head])[0]
}

/** One statement for each row: it is compiled once, and there is no network in between. */
export const updateRecords: Engine['updateRecords'] = async (inside, { workspace, columns }, rows) => {
  const text = updateTexts.getOrInsertComputed(columns.join(' '), () => updateText(columns))
  for (const [number, ...values] of rows) await inside.session.run(text, [...values, workspace, number])
}

/** By columns: to look up a text that was just made takes longer than to look up its parts. */
const updateTexts = new Map<string, string>()

function updateText(columns: readonly string[]): string {
  const changes = columns.map((name) => `"${name}" = ?`).join(', ')
  return `update records set ${changes} where workspace = ? and number = ?`
}

/**
 * Only one transaction writes at a time, so that no other process takes the same numbers. Parts of one transaction may
 * take some before others have inserted theirs.
 */
export function numbersInOrder(): Engine['takeNumbers'] {
  const last = new Map<string, number>()
  return async (inside, table, count) => {
    if (count === 0) return []
    const stored = await sql`select max(number) as last from ${sql.table(table)}`.count(inside)
    const first = Math.max(stored, last.get(table) ?? 0) + 1
    last.set(table, first + count - 1)
    return Array.from({ length: count }, (_, index) => first + index)
  }
}
