import { type Call, type Deed, dataOf, type History, isDone, type Shown, told } from './history.ts'
import { relatedTo } from './list-queries.ts'
import { changesTo, removes } from './record-history.ts'

/** An acknowledged change of a reference or of links stays, and a merge moves it to the winner and nowhere else. */
export function checkReferences(history: History): string[] {
  const sights = history.calls.flatMap((call) => (isDone(call) ? dataOf(call).map((row) => ({ row, call })) : []))
  const byRecord = Map.groupBy(sights, ({ row }) => row.id)
  const changes = new Map([...byRecord.keys()].map((id) => [id, changesTo(history, id)]))
  return sights.flatMap(({ row, call }) => {
    const own = changes.get(row.id) ?? []
    const last = lastBefore(own, row, call)
    if (!last) return []
    const problems = [...referenceProblems(history, { row, call, last }), ...linkProblems(history, { row, call, last })]
    const named = Object.values(last.asked.body ?? {}).filter((value) => typeof value === 'string')
    const others = named.flatMap((id) => changesTo(history, id))
    return problems.map((problem) => [problem, ...[last, call, ...own, ...others].map(told)].join('\n  '))
  })
}

type Seen = { row: Shown; call: Call; last: Call }

/** The only call that can have written the relations that the row shows, where there is only one. */
function lastBefore(changes: readonly Call[], row: Shown, call: Call): Call | undefined {
  const writers = changes.filter((one) =>
    ['create', 'update', 'merge', 'undo', 'restore', 'undo change'].includes(one.deed.kind),
  )
  const earlier = writers.filter((one) => one.end < call.start)
  const last = earlier.reduce<Call | undefined>(
    (one, other) => (one && one.start > other.start ? one : other),
    undefined,
  )
  if (!last || !('token' in last.deed) || last.answer.body?.data?.attributes.updated_at > row.attributes.updated_at)
    return undefined
  const isAlone = writers.every((one) => one === last || one.end < last.start || one.start > call.end)
  return isAlone ? last : undefined
}

function referenceProblems(history: History, { row, call, last }: Seen): string[] {
  // The body of a write is an object.
  const body = (last.asked.body ?? {}) as Record<string, unknown>
  if (!('company_id' in body)) return []
  const shown = row.attributes.company_id
  const written = body.company_id === null ? [] : [String(body.company_id)]
  const possible = placesOf(history, written, call.end)
  const mayBeNull = () => written.length === 0 || written.some((id) => mayBeGone(history, id, call.end))
  if (shown === null ? mayBeNull() : possible.has(String(shown))) return []
  return [`The company_id of ${row.id} is ${shown}, and ${body.company_id} was written.`]
}

function linkProblems(history: History, { row, call, last }: Seen): string[] {
  const links = 'links' in last.deed ? last.deed.links : undefined
  if (!links || row.relationships?.companies === undefined) return []
  const possible = placesOf(history, links, call.end)
  const strange = relatedTo(row, 'companies').filter((id) => !possible.has(id))
  return strange.map((id) => `${row.id} is linked to ${id}, and ${links.join(', ') || 'nothing'} was written.`)
}

/**
 * The companies that may be shown where these were written: they themselves, and those into which they were merged. A
 * write does not remove a relation to a deleted company, which is hidden. It comes back with the company, and may then
 * be moved by a merge.
 */
function placesOf(history: History, written: readonly string[], until: number): Set<string> {
  const back = history.calls.flatMap(({ deed }) => {
    const isReturn = deed.kind === 'restore' || (deed.kind === 'undo change' && deed.does === 'restore')
    return isReturn ? [deed.id] : deed.kind === 'undo' ? [deed.loser] : []
  })
  const removed = [...new Set(back)].filter((id) => hasRemoved(history, new Set([id]), { until }))
  return new Set([...written, ...removed].flatMap((id) => [...followed(history, id, until)]))
}

/** Where merges that started before a moment may have moved a reference to this record. */
function followed({ calls }: History, id: string, until: number): Set<string> {
  const ids = new Set([id])
  const merges = calls.filter((call) => call.deed.kind === 'merge' && isDone(call) && call.start < until)
  for (let size = 0; size < ids.size; ) {
    size = ids.size
    for (const { deed } of merges) if (deed.kind === 'merge' && ids.has(deed.loser)) ids.add(deed.winner)
  }
  return ids
}

/** Whether a reference that was written may lead to nothing: what it refers to was deleted. */
function mayBeGone(history: History, id: string, until: number): boolean {
  const ids = followed(history, id, until)
  if (hasRemoved(history, ids, { until })) return true
  // A merge may have moved the reference to this company before, so that the write changed nothing. Then an undo moves
  // it back, to a company that may be deleted after that.
  const isLoser = (loser: string) => history.calls.some(({ deed }) => isMergeInto(deed, ids) && deed.loser === loser)
  const back = history.calls.filter((call) => isDone(call) && call.start < until)
  return back.some(({ deed, start }) => {
    const loser = deed.kind === 'undo' ? deed.loser : deed.kind === 'restore' ? deed.id : undefined
    return loser !== undefined && isLoser(loser) && hasRemoved(history, new Set([loser]), { since: start, until })
  })
}

function isMergeInto(deed: Deed, ids: ReadonlySet<string>): deed is Deed & { kind: 'merge' } {
  return deed.kind === 'merge' && ids.has(deed.winner)
}

type Period = { since?: number; until: number }

function hasRemoved({ calls }: History, ids: ReadonlySet<string>, { since = 0, until }: Period): boolean {
  const removing = calls.filter((call) => isDone(call) && call.end > since && call.start < until)
  return removing.some((call) => [...ids].some((id) => removes(call, id)))
}
