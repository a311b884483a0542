import type { Ability } from '@kith/contract/abilities'
import { isRecordPart, recordParts } from '@kith/contract/changes/change-kind'
import { periodOfMany, type UndoResult, undoOfMany, undoOfOne } from '@kith/contract/changes/undo'
import { firstIdAt, parseId } from '@kith/contract/id'
import type { Issue } from '@kith/contract/issue'
import { BATCH_CHUNK, UNDO_MAX } from '@kith/contract/limits'
import { isObject } from '@kith/contract/raw-input'
import { parseOrRefuse, Refusal, type RefusalReason, refusalStatuses, refuseValue } from '@kith/contract/refusal'
import { refusalDetails } from '@kith/contract/refusal-details'
import { readObject } from '@kith/contract/shape'
import type { Precondition } from '../../records/expected.ts'
import { type PresentedRecords, presentWritten } from '../../records/present.ts'
import { type PartObject, presentPartsById } from '../../records/present-parts.ts'
import { writing } from '../../records/write-targets.ts'
import { requireAbilities } from '../../scope/permissions.ts'
import { inRehearsal, inTransaction, type Scope } from '../../scope/scope.ts'
import { insertingAtOnce } from '../../storage/engines/transactions.ts'
import { loadOwnChanges, loadUndos } from '../../storage/tables/undos.ts'
import { type FoundChange, findChanges, resourceOf, unknownChange } from './found-change.ts'
import { type UndoOutcome, type UndoSettings, undoInOrder } from './undo-set.ts'

/** The abilities that the undo of changes needs. */
export function abilitiesOf(changes: Iterable<FoundChange>): Ability[] {
  const all = [...changes]
  if (all.length === 0) return []
  return all.some(({ kind }) => kind !== 'updated') ? ['update', 'delete'] : ['update']
}

/** The id of the change that has undone it, if there is one, and the record or its part unless it is gone. */
type Undone = {
  change_id: string | undefined
  presented?: PresentedRecords | undefined
  part?: PartObject | undefined
}

/** Undoes one change. A change that is undone already stays as it is. */
export function undoChange(
  scope: Scope,
  change: FoundChange,
  { body, expected, issues: known }: { body: unknown; expected: Precondition; issues: readonly Issue[] },
): Promise<Undone> {
  requireAbilities(scope, abilitiesOf([change]))
  return undoing(scope, async (inside) => {
    const { force } = parseOrRefuse(known, (report) => readObject(body, undoOfOne, report))
    const [outcome] = await undoInOrder(inside, [change], { force, expected })
    if (!outcome) throw new Error('An undo has no outcome.')
    if ('refused' in outcome) throw new Refusal(outcome.refused)
    const undone = await loadUndos(inside, [change.id])
    const change_id = undone.get(change.id)
    if (outcome.gone) return { change_id }
    if (isRecordPart(change.resource)) {
      const [part] = await presentPartsById(inside, change.resource, [outcome.shows])
      return { change_id, part }
    }
    const written = outcome.row ?? outcome.shows
    return { change_id, presented: await presentWritten(inside, resourceOf(inside, change), written) }
  })
}

/** What the undo has logged must be readable: whether a change is undone follows from it. */
function undoing<T>(scope: Scope, work: (inside: Scope) => Promise<T>): Promise<T> {
  return writing(scope, (inside) => work({ ...inside, db: insertingAtOnce(inside.db) }))
}

/** The changes to undo: those with these ids, or those of the caller in a period. */
type AskedUndos = { ids: readonly string[]; dry_run: boolean }

const FORMS = 'Send either {ids}, or {own: true, since, until}.'

/** Reads which changes a request names, the latest first. */
export async function askedUndos(scope: Scope, body: unknown, issues: readonly Issue[]): Promise<AskedUndos> {
  const { now } = scope
  const { ids, own, since, until, dry_run } = parseOrRefuse(issues, (report) => {
    const sent = readObject(body, undoOfMany, report)
    const isOwn = isObject(body) && body.own !== undefined
    const has = (key: string) => isObject(body) && body[key] !== undefined
    if (has('ids') === isOwn) report('ids', `The ids are ${isOwn ? 'sent with own' : 'missing'}. ${FORMS}`)
    else if (isOwn && sent.own !== true) report('own', `The own must be true. ${FORMS}`)
    else if (isOwn && !has('since')) report('since', `The since is required. ${FORMS}`)
    for (const key of ['since', 'until']) {
      if (!isOwn && has(key)) report(key, `The ${key} is sent with own. ${FORMS}`)
    }
    const named = sent.ids.flatMap((id: unknown, index) => {
      if (typeof id === 'string') return [id]
      report(`ids.${index}`, `The ids.${index} must be the ID of a change.`)
      return []
    })
    if (has('ids') && (sent.ids.length === 0 || sent.ids.length > UNDO_MAX)) {
      report('ids', `The ids must be a list of 1 to ${UNDO_MAX.toLocaleString('en-US')} IDs.`)
    }
    return { ...sent, ids: named }
  })
  if (!own) return { ids: latestFirst(ids), dry_run }
  const period = { since: since ?? '', until: until ?? now().toISOString() }
  if (period.until < period.since) refuseValue('until', 'The until must not be before the since.')
  return { ids: await findOwn(scope, period), dry_run }
}

/** How many changes a request names: 0 if it is refused for their number, 1 if they are not known yet. */
export function countUndos(body: unknown): number {
  const { ids, own } = isObject(body) ? body : {}
  if (own === true) return 1
  return Array.isArray(ids) && ids.length <= UNDO_MAX ? ids.length : 0
}

/** Repeats fold. What is no id comes last. */
function latestFirst(sent: readonly string[]): string[] {
  const [known, unknown] = [sent.flatMap((id) => parseId(id) ?? []), sent.filter((id) => parseId(id) === undefined)]
  return [...new Set([...known.sort().reverse(), ...unknown])]
}

/** The changes of a token or connection in a period that are not undone, the latest first. */
export async function findChangesOf(scope: Scope, token_id: string, input: unknown): Promise<string[]> {
  const { since, until } = parseOrRefuse([], (report) => readObject(input, periodOfMany, report))
  const period = { since, until: until ?? scope.now().toISOString() }
  return findOwn({ ...scope, actor: { ...scope.actor, token_id } }, period)
}

/** The changes of the caller in a period that are not undone. */
async function findOwn(scope: Scope, { since, until }: { since: string; until: string }): Promise<string[]> {
  const from = firstIdAt(Date.parse(since))
  const end = firstIdAt(Date.parse(until) + 1)
  const found: string[] = []
  for (const resource of [...scope.schema.keys(), ...recordParts, 'custom_fields', 'schemas']) {
    // More than enough: some of them may be undone.
    let before = end
    for (;;) {
      const ids = await loadOwnChanges(scope, { resource, from, until: before, most: UNDO_MAX })
      const undone = await loadUndos(scope, ids)
      found.push(...ids.filter((id) => !undone.has(id)))
      if (found.length > UNDO_MAX) refuseOwn()
      const last = ids.at(-1)
      if (last === undefined || ids.length < UNDO_MAX) break
      before = last
    }
  }
  return found.sort().reverse()
}

function refuseOwn(): never {
  const most = UNDO_MAX.toLocaleString('en-US')
  refuseValue('since', `There are more than ${most} changes in this period. Send a later since, or an earlier until.`)
}

/** A chunk of changes, and the results of the chunks before it. */
type UndoChunk = {
  number: number
  before: readonly UndoResult[]
  isLast: boolean
  work(inside: Scope): Promise<UndoResult[]>
}

/** Undoes changes in chunks, each in its own transaction. The chunks of a dry run share one, which is rolled back. */
export async function undoChanges(
  scope: Scope,
  { ids, dry_run }: AskedUndos,
  runChunk: (chunk: UndoChunk) => Promise<UndoResult[]> = ({ work }) => inTransaction(scope, work),
): Promise<UndoResult[]> {
  const settings: UndoSettings = {}
  if (dry_run) return inRehearsal(scope, (inside) => undoChunk(inside, ids, settings))
  const results: UndoResult[] = []
  // One without changes is the end of a request without any.
  for (let first = 0; first === 0 || first < ids.length; first += BATCH_CHUNK) {
    const chunk = ids.slice(first, first + BATCH_CHUNK)
    const place = { number: first / BATCH_CHUNK, before: [...results], isLast: first + BATCH_CHUNK >= ids.length }
    results.push(...(await runChunk({ ...place, work: (inside) => undoChunk(inside, chunk, settings) })))
  }
  return results
}

async function undoChunk(scope: Scope, ids: readonly string[], settings: UndoSettings): Promise<UndoResult[]> {
  return (await undoAll(scope, ids, settings)).map(presentResult)
}

/** A change that a request names, and its outcome. There is none if the change does not exist. */
type NamedUndo = { id: string; change: FoundChange | undefined; outcome: UndoOutcome | undefined }

/** Undoes changes in the order of their ids, in one transaction. */
export function undoAll(scope: Scope, ids: readonly string[], settings: UndoSettings): Promise<NamedUndo[]> {
  return undoing(scope, async (inside) => {
    const found = await findChanges(inside, ids)
    const usable = ids.flatMap((id) => {
      const change = found.get(id)
      return change && !inside.schema.archived.has(change.resource) ? [change] : []
    })
    const outcomes = await undoInOrder(inside, usable, settings)
    const byId = new Map(usable.map(({ id }, index) => [id, outcomes[index]]))
    return ids.map((id) => {
      const change = found.get(id)
      return { id, change, outcome: byId.get(change?.id ?? id) }
    })
  })
}

function presentResult({ id, change, outcome }: NamedUndo): UndoResult {
  const { resource = null, record_id = null } = change ?? {}
  const named = { id, resource, record_id }
  if (outcome && !('refused' in outcome)) return { ...named, status: outcome.gone ? 204 : 200 }
  const reason = refusalIn({ id, change, outcome })
  const { message } = new Refusal(reason)
  return { ...named, status: refusalStatuses[reason.kind], message, ...refusalDetails(reason) }
}

/** Why a change was not undone. */
export function refusalIn({ id, change, outcome }: NamedUndo): RefusalReason {
  return outcome && 'refused' in outcome ? outcome.refused : unknownChange(id, change)
}

/** The response: the results, and how many there are of each kind. */
export function undoDocument(data: readonly UndoResult[], { dry_run }: Pick<AskedUndos, 'dry_run'>) {
  const failed = data.filter(({ status }) => status >= 300).length
  return { data, meta: { total: data.length, succeeded: data.length - failed, failed, dry_run } }
}
