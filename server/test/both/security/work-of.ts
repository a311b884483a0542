import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { sqlitePath } from '../../../src/storage/engines/database-url.ts'
import type { Engine } from '../../../src/storage/engines/engine.ts'
import type { Ran } from '../../../src/storage/engines/recorded.ts'
import { IN_TIME } from '../../../src/storage/engines/sqlite/transactions.ts'
import { isRead, plansOf } from '../plans/plan-of.ts'

/** How much a database does for one statement, and along which indexes. Nothing in it is a time. */
export type Work = {
  sql: string
  indexes: string[]
  steps: number[]
  /** Where an index is gone into without the workspace: the conditions of PostgreSQL, the steps of SQLite's plan. */
  unbounded: string[]
}

/** The work of the statements that find something: the rows that PostgreSQL looks at, the steps of SQLite's machine. */
export async function workOf(engine: Engine, url: string, statements: readonly Ran[]): Promise<Work[]> {
  const work: Work[] = []
  for (const ran of statements.filter((one) => isRead(one) && !LOCK.test(one.sql))) {
    const plans = await plansOf(engine, ran)
    const indexes = plans.flatMap((plan) => [...plan.indexes]).sort()
    const steps = engine.dialect === 'sqlite' ? [stepsOf(url, ran)] : plans.map((plan) => plan.looked ?? -1)
    const bounds = plans.flatMap((plan) =>
      engine.dialect === 'sqlite' ? sqliteBounds(plan.text) : conditionsIn(plan.text),
    )
    work.push({ sql: ran.sql, indexes, steps, unbounded: bounds.filter((bound) => !BOUNDED.test(bound)) })
  }
  // Questions to several tables are asked at once, in any order.
  return work.sort((one, other) => (one.sql < other.sql ? -1 : 1))
}

const LOCK = /pg_advisory|hold_fields/

/**
 * By the workspace, by numbers (of a search field, or of one row), or a bound list (`g` trigrams, `e` entries,
 * values). Only the table of workspaces is looked up by an id or number alone.
 */
const BOUNDED = new RegExp(
  [
    '\\bworkspace(_id)?\\b',
    'workspaces_[12] \\((id|number)=\\?\\)',
    '^\\((id|number) = [^()]+\\)$',
    'rowid',
    'VIRTUAL TABLE INDEX \\d+:M',
    '^SCAN ([eg]|json_each) VIRTUAL TABLE INDEX 1:$',
  ].join('|'),
)

function sqliteBounds(text: string): string[] {
  return text.split('\n').filter((line) => /^(SEARCH|SCAN) .*(INDEX|PRIMARY KEY)/.test(line))
}

function conditionsIn(text: string): string[] {
  return [...text.matchAll(/"Index Cond": "(.*)"/g)].map(([, condition]) => condition ?? '')
}

function stepsOf(url: string, { sql, parameters }: Ran): number {
  const file = new DatabaseSync(sqlitePath(url), { readOnly: true })
  try {
    // Statements ask it whether their request has time left.
    file.function(IN_TIME, () => 1)
    const statement = file.prepare(sql)
    // What is bound was bound by the engine just so.
    statement.all(...(parameters as string[]))
    return machineSteps(statement)
  } finally {
    file.close()
  }
}

function machineSteps(statement: StatementSync): number {
  // Node has the method; its types do not know of it yet.
  return (statement as unknown as { stat(counter: 'vmStep'): number }).stat('vmStep')
}
