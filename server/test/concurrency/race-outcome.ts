import { sql } from '../../src/storage/engines/sql.ts'
import type { Answered } from '../api.ts'
import { derived } from '../derived/derived-state.ts'
import { declared, everyResource } from '../own-resource.ts'
import { storedRecords } from '../stored-rows.ts'
import type { World } from './race-world.ts'

/** What two operations led to, in words that are the same in every world: no ids, no times. */
export type Outcome = { answers: readonly string[]; state: readonly string[] }

export async function outcomeOf(world: World, answers: readonly Answered[]): Promise<Outcome> {
  const names = new Map(Object.entries(world.ids).map(([name, id]) => [id, `<${name}>`]))
  for (const { id, code } of (await fieldsOf(world)).values()) names.set(id, `<field ${code}>`)
  const named = (text: string) =>
    text
      .replace(/\b[0-9a-hjkmnp-tv-z]{26}\b/g, (id) => names.get(id) ?? '<new>')
      .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
      // Links have no order, and ids that are made in one millisecond have another in each world.
      .replace(/\["<[^\]]+>"\]/g, (list) => JSON.stringify(JSON.parse(list).sort()))
  return {
    answers: answers.map((answer) => named(summaryOf(answer))),
    state: (await stateOf(world)).map(named).sort(),
  }
}

/** The status, and the record or the paths of the problems. Texts of messages may name either record. */
function summaryOf({ status, body }: Answered): string {
  if (status >= 400) return `${status} ${Object.keys(body?.errors ?? {}).join()}`
  const { attributes } = body?.data ?? {}
  return `${status} ${JSON.stringify(attributes ?? null)}`
}

/** Every row that the two may have changed, one line each. */
async function stateOf(world: World): Promise<string[]> {
  const parts = await Promise.all(
    [recordLines, linkLines, commentLines, mergeLines, repeatLines, auditLines].map((linesOf) => linesOf(world)),
  )
  const { values, counts } = await derived({ id: world.id, runtime: world.place.runtime })
  const fields = await fieldsOf(world)
  const fieldLines = fields.map(({ code, options, unique }) => `field ${code} ${unique} ${labelsOf(options)}`)
  return [...parts.flat(), ...fieldLines, ...values.map((row) => `value ${row}`), `counts ${JSON.stringify(counts)}`]
}

const labelsOf = (options: string) => JSON.parse(options).map(({ label }: { label: string }) => label)

function fieldsOf({ place, id }: World) {
  return sql<{ id: string; code: string; options: string; unique: number }>`
    select id, code, options, "unique" from custom_fields where workspace_id = ${id}`.all(place.runtime.engine.db)
}

async function recordLines({ place, id, before }: World): Promise<string[]> {
  const lines = everyResource.map(async (type) => {
    const rows = await sql<Record<string, string | null>>`
      select * from ${storedRecords(type)} where workspace_id = ${id}`.all(place.runtime.engine.db)
    return rows.map((row) => {
      const references = Object.keys(declared(type).references).map((column) => `${column}=${row[column]}`)
      const since = before.times.get(row.id ?? '')
      const marks = [row.deleted_at === null ? 'live' : 'deleted', since === row.updated_at ? 'as before' : 'changed']
      const label = row[declared(type).label]
      return [type, row.id, label, ...references, sortedJson(row.custom_fields ?? ''), ...marks].join(' ')
    })
  })
  return (await Promise.all(lines)).flat()
}

function sortedJson(text: string): string {
  return JSON.stringify(Object.entries(JSON.parse(text)).sort(([one], [other]) => (one < other ? -1 : 1)))
}

async function linkLines({ place, id }: World): Promise<string[]> {
  const rows = await sql<{ from_id: string; relation: string; to_id: string }>`
    select * from links where workspace_id = ${id}`.all(place.runtime.engine.db)
  return rows.map(({ from_id, relation, to_id }) => `link ${from_id} ${relation} ${to_id}`)
}

async function commentLines({ place, id }: World): Promise<string[]> {
  const rows = await sql<{ id: string; record_id: string; reply_to: string | null; body: string; deleted_at: string }>`
    select * from comments where workspace_id = ${id}`.all(place.runtime.engine.db)
  return rows.map((row) => {
    const state = row.deleted_at === null ? 'live' : 'deleted'
    return `comment ${row.id} on ${row.record_id} to ${row.reply_to} ${row.body} ${state}`
  })
}

async function mergeLines({ place, id }: World): Promise<string[]> {
  const { db } = place.runtime.engine
  const rows = await sql<{
    winner_id: string
    undone_at: string | null
    changes: string
  }>`select * from merges where workspace_id = ${id}`.all(db)
  const moves = await sql<{
    record_id: string
    relation: string
    from_id: string
    added: number
    before: string | null
  }>`
    select * from merge_moves where workspace_id = ${id}`.all(db)
  return [
    ...rows.map((row) => `merge into ${row.winner_id} ${row.undone_at === null ? 'current' : 'undone'} ${row.changes}`),
    ...moves.map(
      (move) => `moved ${move.record_id} ${move.relation} from ${move.from_id} ${move.added} ${move.before}`,
    ),
  ]
}

async function repeatLines({ place, id }: World): Promise<string[]> {
  const rows = await sql<{ record_id: string; unit: string; previous_id: string | null }>`
    select * from task_repeats where workspace_id = ${id}`.all(place.runtime.engine.db)
  return rows.map((row) => `${row.record_id} repeats every ${row.unit} after ${row.previous_id}`)
}

async function auditLines({ place, id, before }: World): Promise<string[]> {
  const rows = await sql<Record<string, string | null>>`
    select * from audit_log where workspace_id = ${id}`.all(place.runtime.engine.db)
  return rows
    .filter((row) => !before.audited.has(row.id ?? ''))
    .map(({ action, resource, record_id, changes, undo_of }) => {
      const undoing = undo_of === null ? '' : ` undoes ${undo_of}`
      return `audit ${action} ${resource} ${record_id ?? '<new>'} ${changes}${undoing}`
    })
}
