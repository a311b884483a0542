import type { Db, InsertTarget, RowParts } from '../engine.ts'
import type { Column } from '../stored-table.ts'
import { keptInsertText } from './insert-text.ts'

/** The texts of a statement that writes one row, and of one that writes any number of them. */
export type RowTexts = { one: string; many: string }

type Rows = readonly (readonly unknown[])[]

const ROWS_TOGETHER = 5000

/** Writes rows with few statements. */
export async function writeRows(inside: Db, texts: RowTexts, rows: Rows): Promise<void> {
  for (let start = 0; start < rows.length; start += ROWS_TOGETHER) {
    const { text, parameters } = rowsStatement(texts, rows.slice(start, start + ROWS_TOGETHER))
    await inside.session.run(text, parameters)
  }
}

export type Statement = { text: string; parameters: readonly unknown[] }

/**
 * One row as values, which is fastest. Several as an array per column, so that their number does not change the text.
 */
export function rowsStatement({ one, many }: RowTexts, rows: Rows): Statement {
  const [first = []] = rows
  if (rows.length === 1) return { text: one, parameters: first }
  return { text: many, parameters: first.map((_, index) => rows.map((row) => row[index])) }
}

export function insertRows(inside: Db, { table, columns }: InsertTarget, rows: Rows): Promise<void> {
  return writeRows(inside, insertTexts(table, columns), rows)
}

function insertTexts(table: string, columns: readonly Column[]): RowTexts {
  return { one: insertText(table, columns, 1), many: insertText(table, columns, ROWS_TOGETHER) }
}

const insertText = keptInsertText((table, columns, rows) => {
  const places = columns.map((_, index) => `$${index + 1}`).join(', ')
  const source = rows === 1 ? `values (${places})` : `select * from ${arraysOf(columns)}`
  return `insert into ${table} (${namesOf(columns)}) ${source}`
})

/** Overwrites the other columns of a row that already has the key. */
export function putTexts(table: string, columns: readonly Column[], key: readonly string[]): RowTexts {
  const others = columns.filter((column) => !key.includes(column.name))
  const over = others.map(({ name }) => `"${name}" = excluded."${name}"`).join(', ')
  const upsert = `on conflict (${key.join(', ')}) do update set ${over}`
  const { one, many } = insertTexts(table, columns)
  return { one: `${one} ${upsert}`, many: `${many} ${upsert}` }
}

type RowChange = { key: RowParts; changes: RowParts }

export function updateRow(inside: Db, table: string, { key, changes }: RowChange): Promise<void> {
  const texts = updateTexts(table, Object.keys(key), Object.keys(changes))
  return writeRows(inside, texts, [[...Object.values(key), ...Object.values(changes)]])
}

const updates = new Map<string, RowTexts>()

/** Records are changed in few different ways, so each text is built once. */
function updateTexts(table: string, key: readonly string[], changed: readonly string[]): RowTexts {
  const name = [table, ...key, '', ...changed].join(' ')
  let texts = updates.get(name)
  if (!texts) {
    texts = makeUpdateTexts(table, key, changed)
    if (updates.size < TEXTS_KEPT) updates.set(name, texts)
  }
  return texts
}

const TEXTS_KEPT = 1000

function makeUpdateTexts(table: string, key: readonly string[], changed: readonly string[]): RowTexts {
  const columns = [...key, ...changed].map((name): Column => ({ name, type: 'text' }))
  const places = new Map(columns.map(({ name }, index) => [name, `$${index + 1}`]))
  const [inPlace, fromArray] = [(name: string) => places.get(name), (name: string) => `u."${name}"`]
  const text = (value: typeof inPlace, source: string) => {
    const set = changed.map((name) => `"${name}" = ${value(name)}`).join(', ')
    const where = key.map((name) => `r."${name}" = ${value(name)}`).join(' and ')
    return `update ${table} r set ${set} ${source} where ${where}`
  }
  return {
    one: text(inPlace, ''),
    many: text(fromArray, `from ${arraysOf(columns)} as u (${namesOf(columns)})`),
  }
}

function namesOf(columns: readonly Column[]): string {
  return columns.map((column) => `"${column.name}"`).join(', ')
}

const ARRAYS: Readonly<Record<Column['type'], string>> = {
  text: 'text[]',
  number: 'float8[]',
  moment: 'timestamptz[]',
  flag: 'boolean[]',
}

function arraysOf(columns: readonly Column[]): string {
  return `unnest(${columns.map(({ type }, index) => `$${index + 1}::${ARRAYS[type]}`).join(', ')})`
}
