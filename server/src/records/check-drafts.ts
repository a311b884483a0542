import { isDeepStrictEqual } from 'node:util'
import type { FieldSet } from '@kith/contract/field-definition'
import type { Report } from '@kith/contract/issue'
import type { RecordInput } from '@kith/contract/parsed-input'
import type { Resource } from '@kith/contract/resource'
import type { Scope } from '../scope/scope.ts'
import { loadExternalIds } from '../storage/tables/external-ids.ts'
import type { Claim } from '../storage/tables/field-values.ts'
import type { StoredRecord } from '../storage/tables/records.ts'
import { type Changes, changedLabel, changedReferences, changedValues, linkChanges } from './changes.ts'
import {
  type CheckedInput,
  checkClaims,
  checkRecordSize,
  claimsOf,
  type ExistingIds,
  foldReferences,
  keysOf,
  reportCleared,
  reportMissing,
  reportUnset,
  reportWrong,
} from './check-input.ts'
import { checkExternalIds, type ExternalIdsChange, externalIdsChange } from './external-ids.ts'
import { appliedIds, applyEdits, reportUnknown } from './list-edits.ts'
import { goneIn, parseStored, presentValue, type StoredValues, type ValueChanges } from './stored-values.ts'

/** An input of a set, and its effect: it creates a record, changes one, or is only checked. */
export type Draft = Omit<CheckedInput, 'current'> &
  (
    | { does: 'create' | 'nothing'; current?: undefined }
    /** An undo may remove what no longer exists. */
    | { does: 'change'; current: StoredRecord; undoes: boolean }
  )

/**
 * Checks the inputs of a set against the stored data. All problems are reported. The number of statements does not
 * depend on the number of inputs.
 */
export async function checkDrafts(
  inside: Scope,
  resource: Resource,
  { existing, drafts }: { existing: ExistingIds; drafts: readonly Draft[] },
): Promise<
  {
    /** The changes of the record. Undefined if the draft changes none. */
    changes: Changes | undefined
    /** Other records that hold a value or an external id that the draft claims. */
    holders: readonly string[]
  }[]
> {
  await reportMissing(inside, { checked: drafts, existing })
  for (const { input, report, current } of drafts) {
    foldReferences(input, report)
    if (current) applyEdits(input, current, report)
  }
  const valued = drafts.map((draft) => checkValues(draft, resource.fields))
  const links = await linkChanges(inside, resource, drafts.flatMap(linkingOf))
  const edited = drafts.flatMap((draft) =>
    draft.does === 'change' && !draft.undoes ? [{ ...draft, links: links.get(draft.current.id) ?? [] }] : [],
  )
  await reportUnknown(inside, resource, edited)
  const holders = await checkClaims(inside, valued)
  const labels = drafts.map((draft) => {
    return draft.does === 'change' ? changedLabel(resource, draft.current, draft.input) : draft.input.label
  })
  drafts.forEach((draft, index) => {
    if (draft.does === 'nothing') return
    const written = { label: labels[index], values: valued[index]?.values ?? new Map() }
    checkRecordSize(draft.does === 'change' ? draft.current : undefined, written, draft.report)
  })
  const external = await checkIds(inside, resource, drafts)
  return drafts.map((draft, index) => {
    const others = [...(holders[index] ?? []), ...(external.holders[index] ?? [])]
    if (draft.does !== 'change') return { changes: undefined, holders: others }
    const changes = {
      label: labels[index],
      references: changedReferences(draft.current, draft.input.references),
      values: valued[index]?.values ?? new Map(),
      links: links.get(draft.current.id) ?? [],
      external_ids: external.changes[index],
    }
    return { changes, holders: others }
  })
}

/** The values that a draft sets, and the unique ones among them. */
function checkValues(
  draft: Draft,
  fields: FieldSet,
): { values: ValueChanges; claims: readonly Claim[]; except: readonly string[]; report: Report } {
  const { input, report } = draft
  if (draft.does !== 'change') {
    for (const value of input.wrong.values()) reportWrong(value, report)
    if (draft.does === 'nothing') return { values: new Map(), claims: [], except: [], report }
    reportUnset(fields.list, input, report)
    return { values: input.values, claims: claimsOf(input.values), except: [], report }
  }
  const stored = parseStored(draft.current.custom_fields)
  const gone = goneIn(draft.current)
  reportNew(input.wrong, { stored, gone }, report)
  const values = changedValues(draft.current, input.values, input.removed.values)
  reportCleared(values, report)
  const claims = claimsOf(values).filter(({ field, key }) => !keysOf(field, stored[field.key]).includes(key))
  return { values, claims, except: [draft.current.id], report }
}

/** Reports wrong values. A value that the record already shows is kept, even if its field became stricter. */
function reportNew(
  wrong: RecordInput['wrong'],
  { stored, gone }: { stored: StoredValues; gone: ReadonlySet<string> | undefined },
  report: Report,
): void {
  for (const [field, value] of wrong) {
    if (!isDeepStrictEqual(value.sent, presentValue(stored[field.key], field, gone))) reportWrong(value, report)
  }
}

function linkingOf(draft: Draft): Parameters<typeof linkChanges>[2][number][] {
  const { links, removed } = draft.input
  return draft.does === 'change' ? [{ id: draft.current.id, links, removed: removed.links }] : []
}

async function checkIds(
  inside: Scope,
  resource: Resource,
  drafts: readonly Draft[],
): Promise<{ changes: (ExternalIdsChange | undefined)[]; holders: readonly (readonly string[])[] }> {
  const isSending = (draft: Draft) => draft.does === 'change' && draft.input.external_ids !== undefined
  const ids = drafts.flatMap((draft) => (draft.does === 'change' && isSending(draft) ? [draft.current.id] : []))
  const held = Map.groupBy(await loadExternalIds(inside, ids), (row) => row.record_id)
  const checking = drafts.map((draft) => {
    const id = draft.does === 'change' ? draft.current.id : ''
    const own = held.get(id) ?? []
    const sent = draft.does === 'nothing' ? undefined : appliedIds(draft.input, own)
    return { change: externalIdsChange({ id, held: own, sent }), sent, report: draft.report }
  })
  return { changes: checking.map(({ change }) => change), holders: await checkExternalIds(inside, resource, checking) }
}
