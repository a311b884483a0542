import type { Engine } from '../../../src/storage/engines/engine.ts'
import type { Ran } from '../../../src/storage/engines/recorded.ts'

/** An index, and the number of the resource, where the database tells. */
type Walk = { index: string; resource?: number }

/** How a database finds what a statement asks for. */
export type Plan = {
  /** The indexes that are used, under PostgreSQL's names. */
  indexes: ReadonlySet<string>
  /** The tables that are gone through from end to end. */
  scanned: readonly string[]
  /** The indexes of which all that belongs to the workspace is gone through, unless the page is full before. */
  walked: readonly Walk[]
  /** The tables of which rows are read, and not only entries of an index, where the database tells. */
  read: readonly Walk[]
  /** How many rows were looked at, where the database tells. */
  looked?: number
  text: string
}

/** The plans that a database may choose for a statement: for these very values, and for whatever values may come. */
export async function plansOf(engine: Engine, ran: Ran): Promise<Plan[]> {
  if (engine.dialect === 'sqlite') return [await sqlitePlan(engine, ran)]
  return [await postgresPlan(engine, ran), ...(isRead(ran) ? [await genericPlan(engine, ran)] : [])]
}

export function isRead({ sql }: Ran): boolean {
  return /^\s*(select|with)\b/i.test(sql) && !/\(\s*(insert|update|delete)\b/i.test(sql)
}

type Step = { id: number; parent: number; detail: string }

async function sqlitePlan({ db }: Engine, { sql, parameters }: Ran): Promise<Plan> {
  const { rows } = await db.session.run(`explain query plan ${sql}`, parameters)
  // What SQLite answers to this.
  const steps = rows as Step[]
  const indexes = new Set(steps.flatMap((step) => indexOf(sql, step.detail) ?? []))
  const scanned = steps.flatMap(({ detail }) => {
    const alias = /^SCAN (\S+)/.exec(detail)?.[1]
    const table = alias && !/VIRTUAL TABLE|CONSTANT ROW/.test(detail) ? tableOf(sql, alias) : undefined
    return table ?? []
  })
  const walked = steps.flatMap((step) => {
    const index = isWalk(step) ? indexOf(sql, step.detail) : undefined
    return index === undefined ? [] : [{ index }]
  })
  // A walk whose rows must be sorted ends with the last of them.
  const sorted = steps.filter(isWalk).flatMap((step) => {
    const full = steps.some((one) => one.parent === step.parent && one.detail === 'USE TEMP B-TREE FOR ORDER BY')
    return full ? [`${step.detail} to be sorted`] : []
  })
  const text = steps.map((step) => step.detail).join('\n')
  return { indexes, scanned: [...scanned, ...sorted], walked, read: [], text }
}

function isWalk({ detail }: Step): boolean {
  return /\((ANY\()?workspace(_id)?=\?\)?\)$|INDEX records_\w+ \(workspace=\? AND resource=\?\)$/.test(detail)
}

/** The index of a step. The primary key of a table and the search index have no names of their own in SQLite. */
function indexOf(sql: string, detail: string): string | undefined {
  if (/VIRTUAL TABLE INDEX/.test(detail)) return 'search_texts_trigrams'
  const named = /USING (?:COVERING )?INDEX (\w+)/.exec(detail)?.[1]
  if (named === 'sqlite_autoindex_records_1') return 'records_id'
  if (named) return named.replace(/^sqlite_autoindex_(\w+)_1$/, '$1_pkey')
  const alias = /^SEARCH (\S+) (?:EXISTS )?USING (?:INTEGER )?PRIMARY KEY/.exec(detail)?.[1]
  return alias && `${tableOf(sql, alias)}_pkey`
}

/** The table behind an alias; undefined for what the statement itself has made. */
function tableOf(sql: string, alias: string): string | undefined {
  const table = new RegExp(`(?:from|join) "?(\\w+)"? (?:as )?"?${alias}"?(?:\\W|$)`).exec(sql)?.[1] ?? alias
  return tables.has(table) ? table : undefined
}

const tables = new Set([
  'records',
  'field_values',
  'external_ids',
  'search_texts',
  'links',
  'key_moves',
  'record_counts',
  'changes',
  'change_heads',
  'audit_log',
  'comments',
  'merge_moves',
])

type Node = {
  'Node Type': string
  'Relation Name'?: string
  'Index Name'?: string
  'Index Cond'?: string
  'Actual Rows'?: number
  'Actual Loops'?: number
  'Rows Removed by Filter'?: number
  'Rows Removed by Index Recheck'?: number
  Plans?: Node[]
}

type Explained = { 'QUERY PLAN': { Plan: Node }[] }

const MEASURED = 'explain (analyze, timing off, buffers off, format json)'

async function postgresPlan({ db }: Engine, ran: Ran): Promise<Plan> {
  // What would write is not carried out again.
  const words = isRead(ran) ? MEASURED : 'explain (format json)'
  const { rows } = await db.session.run(`${words} ${ran.sql}`, ran.parameters)
  return planIn(rows)
}

let prepared = 0

async function genericPlan(engine: Engine, { sql, parameters }: Ran): Promise<Plan> {
  return engine.transaction(async ({ session }) => {
    const name = `planned_${++prepared}`
    await session.run('set local plan_cache_mode = force_generic_plan', [])
    await session.run(`prepare ${name} as ${sql}`, [])
    const values = parameters.length === 0 ? '' : `(${parameters.map(literal).join(', ')})`
    const { rows } = await session.run(`${MEASURED} execute ${name}${values}`, [])
    await session.run(`deallocate ${name}`, [])
    return planIn(rows)
  })
}

function literal(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return value.length === 0 ? "'{}'" : `array[${value.map(literal).join(', ')}]`
  return typeof value === 'number' ? String(value) : `'${String(value).replaceAll("'", "''")}'`
}

function planIn(rows: unknown[]): Plan {
  // What PostgreSQL answers to this.
  const plans = (rows as Explained[]).flatMap((row) => row['QUERY PLAN'].map((one) => one.Plan))
  const nodes = plans.flatMap((plan) => [...within(plan)])
  const indexes = new Set(nodes.flatMap((node) => node['Index Name'] ?? []))
  const scanned = nodes.flatMap((node) => (node['Node Type'] === 'Seq Scan' ? (node['Relation Name'] ?? []) : []))
  const walked = nodes.flatMap((node) => {
    const index = isWhole(node) ? node['Index Name'] : undefined
    if (index === undefined) return []
    return [{ index, ...resourceOf(node) }]
  })
  const read = nodes.flatMap((node) => {
    const table = isOfRows(node) ? node['Relation Name'] : undefined
    return table === undefined ? [] : [{ index: table, ...resourceOf(node) }]
  })
  const looked = nodes.reduce((sum, node) => sum + rowsOf(node), 0)
  return { indexes, scanned, walked, read, looked, text: JSON.stringify(plans, null, 1) }
}

function resourceOf(node: Node): { resource?: number } {
  const resource = /\(resource = (\d+)\)/.exec(node['Index Cond'] ?? '')?.[1]
  return resource === undefined ? {} : { resource: Number(resource) }
}

function* within(node: Node): Generator<Node> {
  yield node
  for (const one of node.Plans ?? []) yield* within(one)
}

/** Whether nothing but the workspace is asked of an index, or a whole resource of one of records. */
function isWhole(node: Node): boolean {
  const name = node['Index Name']
  if (name === undefined) return false
  const resource = name.startsWith('records_') ? '( AND \\(resource = \\d+\\)+)?' : ''
  const whole = new RegExp(`^\\(*workspace(_id)? = [^()]+\\)*${resource}$`)
  return whole.test(node['Index Cond'] ?? 'workspace = ?')
}

function isOfRows(node: Node): boolean {
  return ['Seq Scan', 'Index Scan', 'Bitmap Heap Scan'].includes(node['Node Type'])
}

function rowsOf(node: Node): number {
  if (!/Scan$/.test(node['Node Type']) || /^(CTE|Subquery) Scan$/.test(node['Node Type'])) return 0
  const each =
    (node['Actual Rows'] ?? 0) + (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0)
  return each * (node['Actual Loops'] ?? 1)
}
