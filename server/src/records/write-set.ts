import type { Definitions, FieldDefinition } from '@kith/contract/field-definition'
import { Refusal, type RefusalReason } from '@kith/contract/refusal'
import type { Resource } from '@kith/contract/resource'
import type { Scope } from '../scope/scope.ts'
import type { RecordRow } from '../storage/tables/records.ts'
import { type Changing, isNothing } from './changes.ts'
import { type Claimed, claimsOf, findNamed, lockClaims } from './check-input.ts'
import { checkWrites, type Draft } from './check-writes.ts'
import { unexpected } from './expected.ts'
import { claimedIds } from './external-ids.ts'
import { missingReasons } from './merge/merged-into.ts'
import { newRecord } from './new-record.ts'
import { requireLocked, resolveLookups } from './resolve-lookups.ts'
import { storeWrites } from './store.ts'
import { addMatch, ambiguous, checkStillHeld, unmetCondition } from './upsert-checks.ts'
import { findTargets, type Target, type Write } from './write-targets.ts'

/** What became of a write. */
type Outcome = Written | { refused: RefusalReason }
export type Written = {
  row: RecordRow
  created: boolean
  /** The record before, and what changed of it. Undefined if nothing did. */
  changing?: Changing | undefined
}

type WriteSet = { definitions: Definitions; writes: readonly Write[] }

/**
 * Carries out writes of the same kind that name different records and claim different values, as if one came after the
 * other. A refused write leaves nothing behind. A write that depends on an earlier one is not carried out, nor are
 * those after it: there are fewer outcomes then, but at least one. The number of statements does not depend on the
 * number of writes.
 */
export async function writeSet(
  inside: Scope,
  resource: Resource,
  { definitions, writes: all }: WriteSet,
): Promise<Outcome[]> {
  await lockClaims(inside, all.map(claimedBy))
  const inputs = all.flatMap(({ input, report }) => (input ? [{ input, report }] : []))
  const found = await resolveLookups(inside, inputs)
  // In the lock order: what they refer to, then the records themselves.
  const [existing, targets] = await Promise.all([
    findNamed(inside, resource, { checked: inputs }),
    findTargets(inside, resource, all),
  ])
  requireLocked(found, existing)
  const writes = all.slice(0, targets.length)
  const refusals = await refusalsOf(inside, resource, { definitions, writes, targets })
  const drafts = writes.map((write, index) => (refusals[index] ? undefined : draftOf(write, targets[index])))
  const checking = drafts.flatMap((draft) => draft ?? [])
  const checked = await checkWrites(inside, resource, {
    fields: definitions[resource.type],
    existing,
    drafts: checking,
  })
  const outcomes = new Map(checking.map((draft, index) => [draft, checked[index]]))
  const steps = writes.map((write, index): Step => {
    const draft = drafts[index]
    const result = draft && outcomes.get(draft)
    const refused = refusals[index] ?? refusalOf(write, targets[index])
    return { draft, refused, changes: result?.changes, holders: result?.holders ?? [] }
  })
  return store(inside, resource, { fields: definitions[resource.type].list, steps: independent(steps) })
}

/** A write alone. Refuses, or returns what was written. */
export async function writeAlone(
  inside: Scope,
  resource: Resource,
  { definitions, write }: { definitions: Definitions; write: Write },
): Promise<Written> {
  const [outcome] = await writeSet(inside, resource, { definitions, writes: [write] })
  if (!outcome) throw new Error('A write has no outcome.')
  if ('refused' in outcome) throw new Refusal(outcome.refused)
  return outcome
}

/** What other writes must wait for: the match, and the values and external ids of the input. */
export function claimedBy(write: Write): Claimed {
  const { input } = write
  const match = write.op === 'upsert' ? write.match : undefined
  if (!input || (write.op === 'upsert' && !match)) return { claims: [], externalIds: [] }
  return {
    claims: [...(match?.by === 'field' ? [match] : []), ...claimsOf(input.values)],
    externalIds: [...(match?.by === 'external_id' ? [match] : []), ...claimedIds(input.external_ids)],
  }
}

type Aimed = { definitions: Definitions; writes: readonly Write[]; targets: readonly Target[] }

/** Updates of records that are not there, or not as expected: that comes before what is wrong with the input. */
async function refusalsOf(
  inside: Scope,
  resource: Resource,
  { definitions, writes, targets }: Aimed,
): Promise<(RefusalReason | undefined)[]> {
  const missing = writes.filter((write, index) => write.op === 'update' && !targets[index]?.current)
  const sent = missing.map((write) => (write.op === 'update' ? write.sent_id : ''))
  const reasons = await missingReasons(inside, resource, sent)
  return Promise.all(
    writes.map((write, index) => {
      const current = targets[index]?.current
      if (write.op !== 'update') return undefined
      if (!current) return reasons[missing.indexOf(write)]
      return unexpected(inside, resource, { expected: write.expected, current, definitions })
    }),
  )
}

function draftOf(write: Write, target: Target | undefined): Draft | undefined {
  const { input, report } = write
  if (!input) return undefined
  if (write.op === 'upsert') {
    if (!write.match || (target && target.holders.length > 1)) return { input, report, does: 'nothing' }
    checkStillHeld(input, write.match, report)
    if (!target?.current) addMatch(input, write.match, report)
  }
  return target?.current
    ? { input, report, does: 'change', current: target.current }
    : { input, report, does: 'create' }
}

/** What is wrong with an input, and then the conditions of an upsert and several holders. */
function refusalOf(write: Write, target: Target | undefined): RefusalReason | undefined {
  if (write.issues.length > 0) return { kind: 'invalid', issues: write.issues }
  if (write.op !== 'upsert' || !write.match) return undefined
  const holders = target?.holders ?? []
  const unmet = unmetCondition(write.conditions, write.match, holders)
  return unmet ?? (holders.length > 1 ? ambiguous(write.match, holders) : undefined)
}

type Step = {
  draft: Draft | undefined
  refused: RefusalReason | undefined
  changes: Changing['changes'] | undefined
  /** Other records that hold what the write claims. */
  holders: readonly string[]
}

/** The writes before the first one that claims what a record holds that an earlier one changes. */
function independent(steps: readonly Step[]): readonly Step[] {
  const changed = new Set<string>()
  const end = steps.findIndex(({ draft, holders }) => {
    if (holders.some((id) => changed.has(id))) return true
    if (draft?.does === 'change') changed.add(draft.current.id)
    return false
  })
  return end === -1 ? steps : steps.slice(0, end)
}

type Storing = { fields: readonly FieldDefinition[]; steps: readonly Step[] }

async function store(inside: Scope, resource: Resource, { fields, steps }: Storing): Promise<Outcome[]> {
  const stored = steps.map(({ draft, refused, changes }) => {
    if (refused || !draft) return undefined
    if (draft.does !== 'change') return newRecord(inside, resource, draft.input)
    return changes && { current: draft.current, changes, fields }
  })
  const rows = await storeWrites(
    inside,
    resource,
    stored.flatMap((one) => one ?? []),
  )
  let next = 0
  return steps.map(({ refused }, index): Outcome => {
    if (refused) return { refused }
    const one = stored[index]
    const row = one && rows[next++]
    if (!row) throw new Error('A write was neither refused nor stored.')
    const changing = 'current' in one && !isNothing(one.changes) ? one : undefined
    return { row, created: !('current' in one), changing }
  })
}
