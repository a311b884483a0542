import type { Db, RowSet } from '../engine.ts'
import { handleOver } from '../handle.ts'
import { posting } from '../posting.ts'
import type { Session } from '../session.ts'
import { rowsStatement, type Statement } from './rows.ts'

/**
 * Runs statements that write to different tables as a single one. Each of them costs both sides as much for being sent, taken apart and answered
 * as for what it does. In a shared transaction, rows wait for those of the others.
 */
export async function runTogether(inside: Db, work: (gathering: Db) => Promise<void>): Promise<void> {
  const statements: Statement[] = []
  const sets: RowSet[] = []
  const session: Session = {
    dialect: 'postgres',
    async run(text, parameters) {
      statements.push({ text, parameters })
      return { rows: [], affected: 0 }
    },
  }
  const { shared, count } = inside
  const besides = { ...(shared && { shared }), ...(count && { count }) }
  await work(handleOver(session, { gather: (rows) => void sets.push(rows), ...besides }))
  if (shared) shared.write(sets)
  else statements.push(...sets.map(rowsStatement))
  if (statements.length === 0) return
  const parameters = statements.flatMap((statement) => statement.parameters)
  await posting(inside).session.run(textOf(statements), parameters)
}

const TEXTS_KEPT = 1000
const texts = new Map<string, string>()

/** There are as many texts as ways in which records are written: few, and each is put together once. */
function textOf(statements: readonly Statement[]): string {
  const key = statements.map(({ text }) => text).join(';')
  let text = texts.get(key)
  if (text === undefined) {
    text = combined(statements)
    if (texts.size < TEXTS_KEPT) texts.set(key, text)
  }
  return text
}

function combined(statements: readonly Statement[]): string {
  let before = 0
  const parts = statements.map(({ text, parameters }, index) => {
    const shifted = text.replace(/\$(\d+)/g, (_, number: string) => `$${Number(number) + before}`)
    before += parameters.length
    return `part_${index} as (${shifted})`
  })
  // Nobody asks for a row, nor for the names of its columns.
  return `with ${parts.join(', ')} select where false`
}
