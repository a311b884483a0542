import { registry } from '@kith/contract/registry'
import { sql } from '../../src/storage/engines/sql.ts'
import { type Call, dataOf, type History, isDone, told } from './history.ts'
import { recordOf } from './record-history.ts'
import type { RandomRun } from './world.ts'

export type Entry = {
  action: string
  resource: string
  record_id: string
  changes: readonly (readonly [field: string, before: unknown, after: unknown])[]
  /** The change that it undoes. */
  undo_of?: string | null
}

/** The audit log has one entry for each acknowledged change, and none for a call that changed nothing. */
export async function checkAudit(run: RandomRun): Promise<string[]> {
  return auditProblems(run.history, await loadEntries(run))
}

export function auditProblems(history: History, entries: readonly Entry[]): string[] {
  return [
    ...labelProblems(history, entries),
    ...countProblems(history.calls, entries),
    ...turnProblems(entries),
    ...settingProblems(entries),
    ...chainProblems(history, entries),
    ...undoProblems(entries),
  ]
}

async function loadEntries({ id, place }: RandomRun): Promise<Entry[]> {
  const rows = await sql<
    Record<'id' | 'action' | 'resource', string> & Record<'record_id' | 'changes' | 'undo_of', string | null>
  >`
    select * from audit_log where workspace_id = ${id} order by id`.all(place.runtime.engine.db)
  return rows.map(({ action, resource, id, record_id, changes, undo_of }) => ({
    undo_of,
    action,
    resource,
    record_id: record_id ?? id,
    changes: changes === null ? [] : JSON.parse(changes),
  }))
}

const isRecord = ({ resource }: Entry) => resource in registry
const labelChange = ({ changes }: Entry) => changes.find(([field]) => field === 'name' || field === 'title')

/** Every update writes a label of its own, by which its entry is known. */
function labelProblems({ calls }: History, entries: readonly Entry[]): string[] {
  const updates = entries.filter((entry) => entry.action === 'update' && isRecord(entry) && labelChange(entry))
  const counts = Map.groupBy(updates, (entry) => labelChange(entry)?.[2])
  return calls.flatMap((call) => {
    const { deed, answer } = call
    if (deed.kind !== 'update' && deed.kind !== 'upsert') return []
    const found = counts.get(deed.token)?.length ?? 0
    return found === (answer.status === 200 ? 1 : 0) ? [] : [`${found} entries tell of ${told(call)}`]
  })
}

/** Each kind of call leaves as many entries as it was acknowledged. */
function countProblems(calls: readonly Call[], entries: readonly Entry[]): string[] {
  const done = (...kinds: string[]) => calls.filter((call) => kinds.includes(call.deed.kind) && isDone(call))
  // To undo a change again changes nothing, so the calls do not tell how many undos there are.
  const alone = entries.filter(({ undo_of = null }) => undo_of === null)
  const logged = (action: string, test = isRecord) => alone.filter((one) => one.action === action && test(one)).length
  const has = (field: string) => (entry: Entry) => entry.changes.some(([name]) => name === field)
  const made = [...done('create'), ...done('upsert')].filter(({ answer }) => answer.status === 201)
  const pairs: [string, number, number][] = [
    ['creations', logged('create'), made.length],
    ['deletions', logged('delete'), done('delete').length],
    [
      'merges, told by winner and loser',
      logged('merge'),
      2 * new Set(done('merge').map(({ answer }) => answer.body.meta.merge_id)).size,
    ],
    ['changes of options', logged('update', has('options')), done('options').length],
    ['revoked tokens', logged('revoke', ({ resource }) => resource === 'tokens'), done('revoke token').length],
  ]
  const undone = logged('undo_merge')
  // To undo a merge again changes nothing.
  const merges = new Set(done('undo').map(({ asked }) => asked.path.split('/').at(-2)))
  const [fewest, most] = [merges.size, merges.size + done('restore').length]
  return [
    ...pairs.flatMap(([name, log, calls]) =>
      log === calls ? [] : [`The log tells of ${log} ${name}, the calls of ${calls}.`],
    ),
    ...(undone >= fewest && undone <= most
      ? []
      : [`The log tells of ${undone} undone merges, the calls of ${fewest} to ${most}.`]),
  ]
}

/** A change is undone once. Undone again, it has the same change for its undo. */
function undoProblems(entries: readonly Entry[]): string[] {
  const undone = Map.groupBy(entries, ({ undo_of }) => undo_of ?? '')
  return [...undone].flatMap(([id, own]) =>
    id === '' || own.length === 1 ? [] : [`The change ${id} is undone ${own.length} times.`],
  )
}

/** A record is deleted and comes back in turn. */
function turnProblems(entries: readonly Entry[]): string[] {
  return [...Map.groupBy(entries.filter(isRecord), (entry) => entry.record_id)].flatMap(([id, own]) => {
    const gone = own.filter(
      (one) => one.action === 'delete' || (one.action === 'merge' && one.changes[0]?.[0] === 'merged_into'),
    )
    const back = own.filter((one) => one.action === 'restore')
    const more = gone.length - back.length
    return more === 0 || more === 1
      ? []
      : [`The log deletes ${id} ${gone.length} times and restores it ${back.length} times.`]
  })
}

/** A setting with two values changes back and forth. An entry for a call that changed nothing would break this. */
function settingProblems(entries: readonly Entry[]): string[] {
  return ['role', 'unique'].flatMap((setting) => {
    const changes = entries.flatMap(({ action, changes }) => (action === 'update' ? changes : []))
    const own = changes.filter(([field]) => field === setting).map(([, before, after]) => `${before} ${after}`)
    const first = own.filter((change) => change === own[0]).length
    const [others, ...strange] = new Set(own.filter((change) => change !== own[0]))
    const isTurn = strange.length === 0 && [0, 1].includes(first - own.filter((change) => change === others).length)
    return isTurn || own.length === 0 ? [] : [`The ${setting} does not change back and forth: ${own.join(', ')}.`]
  })
}

/** No update is lost: each one replaces the label of the update before it, in the order of their versions. */
function chainProblems({ calls }: History, entries: readonly Entry[]): string[] {
  const before = new Map(entries.flatMap((entry) => [labelChange(entry) ?? []]).map(([, was, is]) => [is, was]))
  const writes = calls.filter((call) => isDone(call) && 'token' in call.deed)
  return [...Map.groupBy(writes, recordOf)].flatMap(([id, own]) => {
    const versions = own.toSorted((one, other) => (versionOf(one) < versionOf(other) ? -1 : 1))
    return versions.flatMap((call, index) => {
      const [previous, token] = [versions[index - 1], tokenOf(call)]
      if (!previous || before.get(token) === tokenOf(previous)) return []
      return [`Record ${id}: ${told(call)} replaced ${before.get(token)}, and ${told(previous)} came before it.`]
    })
  })
}

const versionOf = (call: Call) => dataOf(call)[0]?.attributes.updated_at ?? ''
const tokenOf = ({ deed }: Call) => ('token' in deed ? deed.token : '')
