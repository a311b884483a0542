import type { FieldDefinition } from '@kith/contract/field-definition'
import type { Issue } from '@kith/contract/issue'
import type { RecordInput } from '@kith/contract/parsed-input'
import { Refusal, type RefusalReason } from '@kith/contract/refusal'
import { type Resource, resourceIn } from '@kith/contract/resource'
import { lackOf } from '../scope/permissions.ts'
import type { Scope } from '../scope/scope.ts'
import type { RecordRow, StoredRecord } from '../storage/tables/records.ts'
import { saveOf } from './automatic-saves.ts'
import { type NewRecord, originOf, type RecordChange } from './changes.ts'
import { checkDrafts, type Draft } from './check-drafts.ts'
import {
  type CheckedInput,
  claimsOf,
  type ExistingIds,
  findNamed,
  lockClaims,
  namesOfClaims,
  type UniqueClaims,
} from './check-input.ts'
import { unexpected } from './expected.ts'
import { claimedIds } from './external-ids.ts'
import { keepAdditions } from './list-edits.ts'
import { claimsOfMissing, type NewTarget, requireLocked, resolveLookups } from './lookups.ts'
import { missingReasons } from './merge/merged-into.ts'
import { storeWrites } from './store.ts'
import { givenValues } from './stored-values.ts'
import {
  addMatch,
  ambiguous,
  checkStillHeld,
  findTargets,
  matchOf,
  notOneHolder,
  type Target,
  unmetCondition,
  type Write,
} from './write-targets.ts'

type Outcome = Written | { refused: RefusalReason }

export type Written = {
  row: RecordRow
  created: boolean
  /** Undefined if nothing changed. */
  change_id: string | undefined
  /** The records that were created with it because it names them. Their ids are those of the changes, too. */
  missing: readonly string[]
}

/**
 * Runs writes of the same kind for different records and different unique values, as if one came after the other. A
 * refused write stores nothing. Stops before a write that depends on an earlier one: then there are fewer outcomes, but
 * at least one. The number of statements does not depend on the number of writes.
 */
export async function writeSet(inside: Scope, resource: Resource, all: readonly Write[]): Promise<Outcome[]> {
  if (inside.engine.concurrentWrites) await lockClaims(inside, all.flatMap(allClaims))
  const { found, missing, asked } = await resolveNames(inside, resource, all)
  const inputs = asked.flatMap(({ input, report }) => (input ? [{ input, report }] : []))
  // In the lock order: the referenced records, then the records themselves.
  const [named, targets] = await Promise.all([
    findNamed(inside, { checked: [...inputs, ...missing] }),
    findTargets(inside, resource, asked),
  ])
  requireLocked(found, named)
  const existing = withNew(named, missing)
  const writes = asked.slice(0, targets.length)
  const refusals = await refusalsOf(inside, resource, { writes, targets })
  const drafts = writes.map((write, index) => (refusals[index] ? undefined : draftOf(write, targets[index])))
  const checking = drafts.flatMap((draft) => draft ?? [])
  const checked = await checkDrafts(inside, resource, { existing, drafts: checking })
  await checkMissing(inside, missing, existing)
  const outcomes = new Map(checking.map((draft, index) => [draft, checked[index]]))
  const steps = writes.map((write, index): Step => {
    const draft = drafts[index]
    const result = draft && outcomes.get(draft)
    const refused = refusals[index] ?? refusalOf(write, targets[index])
    const { undo_of, automatic } = write.op === 'update' ? write : {}
    return { draft, refused, undo_of, automatic, changes: result?.changes, holders: result?.holders ?? [] }
  })
  const done = independent(steps)
  const inputsOf = new Set(done.flatMap(({ draft, refused }) => (draft && !refused ? [draft.input as object] : [])))
  const stored = missing.filter((one) => inputsOf.has(one.of))
  await storeMissing(inside, stored)
  return store(inside, resource, { fields: resource.fields.list, steps: done, missing: stored })
}

/** Finds what the inputs name, up to a write that depends on a record that an earlier one creates. */
async function resolveNames(inside: Scope, resource: Resource, all: readonly Write[]) {
  const resolving = all.flatMap(({ input, report }, index) => {
    if (!input) return []
    const write = all[index]
    const claims = () => (write ? namesOfClaims(resource, claimedBy(write)) : [])
    return [{ input, report, index, claims: createsSome(all) ? claims() : [] }]
  })
  const { resolved, ...names } = await resolveLookups(inside, resolving)
  const end = resolving[resolved]?.index
  return { ...names, asked: end === undefined ? all : all.slice(0, end) }
}

function createsSome(writes: readonly Write[]): boolean {
  return writes.some(({ input }) => input && createsMissing(input))
}

function createsMissing({ lookups }: RecordInput): boolean {
  return lookups.some(({ by }) => 'create' in by && by.create !== undefined)
}

/** The records that exist when the writes are stored. */
function withNew(existing: ExistingIds, missing: readonly NewTarget[]): ExistingIds {
  if (missing.length === 0) return existing
  const all = new Map([...existing].map(([to, ids]) => [to, new Set(ids)]))
  for (const { to, id } of missing) all.getOrInsertComputed(to, () => new Set()).add(id)
  return all
}

/** Reports problems with records that are created because others name them. */
async function checkMissing(inside: Scope, missing: readonly NewTarget[], existing: ExistingIds): Promise<void> {
  for (const [to, some] of Map.groupBy(missing, (one) => one.to)) {
    const drafts = some.map(({ input, report }): Draft => ({ input, report, does: 'create' }))
    await checkDrafts(inside, resourceIn(inside.schema, to), { existing, drafts })
  }
}

/**
 * Finds the records that the input of a single write names, and creates the missing ones, unless there are `issues`:
 * the caller then refuses the write.
 */
export async function resolveAlone(
  inside: Scope,
  { input, report, issues }: CheckedInput & { issues: readonly Issue[] },
): Promise<void> {
  const lack = createsMissing(input) ? lackOf(inside, ['create']) : undefined
  if (lack) throw new Refusal(lack)
  if (inside.engine.concurrentWrites) await lockClaims(inside, missingClaims(input))
  const { missing } = await resolveLookups(inside, [{ input, report }])
  if (missing.length === 0) return
  await checkMissing(inside, missing, withNew(await findNamed(inside, { checked: missing }), missing))
  if (issues.length === 0) await storeMissing(inside, missing)
}

/** Stores the records that others name, before these. */
async function storeMissing(inside: Scope, missing: readonly NewTarget[]): Promise<void> {
  for (const [to, some] of Map.groupBy(missing, (one) => one.to)) {
    const resource = resourceIn(inside.schema, to)
    await storeWrites(
      inside,
      resource,
      some.map(({ id, input }) => newRecord(inside, input, id)),
    )
  }
}

/** Runs a single write. Refuses, or returns the outcome. */
export async function writeAlone(inside: Scope, resource: Resource, write: Write): Promise<Written> {
  const [outcome] = await writeSet(inside, resource, [write])
  if (!outcome) throw new Error('A write has no outcome.')
  if ('refused' in outcome) throw new Refusal(outcome.refused)
  return outcome
}

/** The claims that other writes must wait for: the match, and the values and external ids of the input. */
export function claimedBy(write: Write): UniqueClaims {
  const { input } = write
  const match = matchOf(write)
  if (!input || (write.op === 'upsert' && !match)) return { claims: [], externalIds: [] }
  return {
    claims: [...(match?.by === 'field' ? [match] : []), ...claimsOf(input.values)],
    externalIds: [...(match?.by === 'external_id' ? [match] : []), ...claimedIds(input.external_ids)],
  }
}

/** With those of the records that may have to be created. */
function allClaims(write: Write): UniqueClaims[] {
  return [claimedBy(write), ...(write.input ? missingClaims(write.input) : [])]
}

function missingClaims({ lookups }: RecordInput): UniqueClaims[] {
  return lookups.flatMap(({ by }) => claimsOfMissing(by) ?? [])
}

/** Updates of records that do not exist or do not meet the precondition: checked before the input. */
async function refusalsOf(
  inside: Scope,
  resource: Resource,
  { writes, targets }: { writes: readonly Write[]; targets: readonly Target[] },
): Promise<(RefusalReason | undefined)[]> {
  const missing = writes.filter((write, index) => 'id' in write && !targets[index]?.current)
  const sent = missing.map((write) => ('id' in write ? write.sent_id : ''))
  const reasons = await missingReasons(inside, resource, sent)
  return Promise.all(
    writes.map((write, index) => {
      const { current, holders = [] } = targets[index] ?? {}
      const lack = write.input && createsMissing(write.input) ? lackOf(inside, ['create']) : undefined
      if (lack || write.op !== 'update') return lack
      if ('match' in write && !current) return notOneHolder(resource, write.match, idsOf(holders))
      if (!current) return reasons[missing.indexOf(write)]
      return unexpected(inside, resource, { expected: write.expected, current })
    }),
  )
}

function draftOf(write: Write, target: Target | undefined): Draft | undefined {
  const { input, report } = write
  if (!input) return undefined
  if (write.op === 'upsert') {
    if (!write.match || (target && target.holders.length > 1)) return { input, report, does: 'nothing' }
    const isNew = !target?.current
    if (isNew) keepAdditions(input)
    checkStillHeld({ input, match: write.match, isNew }, report)
    if (isNew) addMatch(input, write.match, report)
  }
  if (target?.current) return { input, report, does: 'change', current: target.current, undoes: isUndo(write) }
  keepAdditions(input)
  return { input, report, does: 'create' }
}

function isUndo(write: Write): boolean {
  return write.op === 'update' && write.undo_of !== undefined
}

/** The problems of an input, then the conditions of an upsert and several holders. */
function refusalOf(write: Write, target: Target | undefined): RefusalReason | undefined {
  if (write.issues.length > 0) return { kind: 'invalid', issues: write.issues }
  if (write.op !== 'upsert' || !write.match) return undefined
  const holders = target?.holders ?? []
  const unmet = unmetCondition(write.conditions, write.match, holders)
  return unmet ?? (holders.length > 1 ? ambiguous(write.match, idsOf(holders)) : undefined)
}

function idsOf(rows: readonly StoredRecord[]): string[] {
  return rows.map(({ id }) => id)
}

type Step = {
  draft: Draft | undefined
  refused: RefusalReason | undefined
  undo_of: string | undefined
  automatic: boolean | undefined
  changes: RecordChange['changes'] | undefined
  /** Other records that hold a claimed value. */
  holders: readonly string[]
}

/** The writes before the first one that claims a value of a record that an earlier one changes. */
function independent(steps: readonly Step[]): readonly Step[] {
  const changed = new Set<string>()
  const end = steps.findIndex(({ draft, holders }) => {
    if (holders.some((id) => changed.has(id))) return true
    if (draft?.does === 'change') changed.add(draft.current.id)
    return false
  })
  return end === -1 ? steps : steps.slice(0, end)
}

async function store(
  inside: Scope,
  resource: Resource,
  {
    fields,
    steps,
    missing,
  }: { fields: readonly FieldDefinition[]; steps: readonly Step[]; missing: readonly NewTarget[] },
): Promise<Outcome[]> {
  const storing = steps.map(async ({ draft, refused, undo_of, automatic, changes }) => {
    if (refused || !draft) return undefined
    if (draft.does !== 'change') return newRecord(inside, draft.input)
    const change = changes && { current: draft.current, changes }
    return (
      change && { ...change, fields, undo_of, save: automatic ? await saveOf(inside, resource, change) : undefined }
    )
  })
  const stored = await Promise.all(storing)
  const done = await storeWrites(
    inside,
    resource,
    stored.flatMap((one) => one ?? []),
  )
  const missingOf = Map.groupBy(missing, (one) => one.of)
  let next = 0
  return steps.map(({ draft, refused }, index): Outcome => {
    if (refused) return { refused }
    const one = stored[index]
    const written = one && done[next++]
    if (!written) throw new Error('A write was neither refused nor stored.')
    const also = (draft && missingOf.get(draft.input)) ?? []
    return { ...written, created: !('current' in one), missing: also.map(({ id }) => id) }
  })
}

/** The record that a checked input creates, now and by the actor. */
export function newRecord(inside: Scope, input: RecordInput, id?: string): NewRecord {
  return {
    ...originOf(inside, id),
    label: input.label ?? '',
    references: input.references,
    values: givenValues(input.values),
    links: linksOf(input),
    external_ids: input.external_ids,
  }
}

function linksOf({ resource, links }: RecordInput): NewRecord['links'] {
  return [...links].flatMap(([key, ids]) => {
    const relation = resource.links[key]?.relation ?? key
    return [...new Set(ids)].map((to_id) => ({ relation, to_id }))
  })
}
