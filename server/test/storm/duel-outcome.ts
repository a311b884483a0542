import { registry } from '@kith/contract/registry'
import { resourceNames } from '@kith/contract/resource'
import type { Answered } from '../api.ts'
import { derived } from '../derived/derived-state.ts'
import type { World } from './duel-world.ts'

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
  const parts = await Promise.all([recordLines(world), linkLines(world), mergeLines(world), auditLines(world)])
  const { values, counts } = await derived({ id: world.id, runtime: world.place.runtime })
  const fields = await fieldsOf(world)
  const fieldLines = fields.map(({ code, options, unique }) => `field ${code} ${unique} ${labelsOf(options)}`)
  return [...parts.flat(), ...fieldLines, ...values.map((row) => `value ${row}`), `counts ${JSON.stringify(counts)}`]
}

const labelsOf = (options: string) => JSON.parse(options).map(({ label }: { label: string }) => label)

function fieldsOf({ place, id }: World) {
  const { query } = place.runtime.engine.db
  return query
    .selectFrom('custom_fields')
    .select(['id', 'code', 'options', 'unique'])
    .where('workspace_id', '=', id)
    .execute()
}

async function recordLines({ place, id, before }: World): Promise<string[]> {
  const { query } = place.runtime.engine.db
  const lines = resourceNames.map(async (type) => {
    const rows = await query.selectFrom(type).selectAll().where('workspace_id', '=', id).execute()
    return rows.map((row) => {
      const { id, label, columns } = {
        id: row.id,
        label: row[registry[type].label],
        columns: registry[type].references,
      }
      // The columns of a resource's references are columns of its table.
      const own = row as unknown as Record<string, unknown>
      const references = Object.keys(columns).map((column) => `${column}=${own[column]}`)
      const since = before.times.get(id)
      const marks = [row.deleted_at === null ? 'live' : 'deleted', since === row.updated_at ? 'as before' : 'changed']
      return [type, id, label, ...references, sortedJson(row.custom_fields), ...marks].join(' ')
    })
  })
  return (await Promise.all(lines)).flat()
}

function sortedJson(text: string): string {
  return JSON.stringify(Object.entries(JSON.parse(text)).sort(([one], [other]) => (one < other ? -1 : 1)))
}

async function linkLines({ place, id }: World): Promise<string[]> {
  const rows = await place.runtime.engine.db.query
    .selectFrom('links')
    .selectAll()
    .where('workspace_id', '=', id)
    .execute()
  return rows.map(({ from_id, relation, to_id }) => `link ${from_id} ${relation} ${to_id}`)
}

async function mergeLines({ place, id }: World): Promise<string[]> {
  const { query } = place.runtime.engine.db
  const rows = await query.selectFrom('merges').selectAll().where('workspace_id', '=', id).execute()
  const moves = await query.selectFrom('merge_moves').selectAll().where('workspace_id', '=', id).execute()
  return [
    ...rows.map((row) => `merge into ${row.winner_id} ${row.undone_at === null ? 'stands' : 'undone'} ${row.changes}`),
    ...moves.map((move) => `moved ${move.record_id} ${move.relation} from ${move.from_id} ${move.added}`),
  ]
}

async function auditLines({ place, id, before }: World): Promise<string[]> {
  const { query } = place.runtime.engine.db
  const rows = await query.selectFrom('audit_log').selectAll().where('workspace_id', '=', id).execute()
  return rows
    .filter((row) => !before.audited.has(row.id))
    .map(({ action, resource, record_id, changes }) => `audit ${action} ${resource} ${record_id ?? '<new>'} ${changes}`)
}
