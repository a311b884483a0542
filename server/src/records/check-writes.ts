import { isDeepStrictEqual } from 'node:util'
import type { FieldSet } from '@kith/contract/field-definition'
import type { StoredValue } from '@kith/contract/field-type'
import type { Report } from '@kith/contract/issue'
import type { RecordInput } from '@kith/contract/record-input'
import type { Resource } from '@kith/contract/resource'
import type { Scope } from '../scope/scope.ts'
import { loadExternalIds } from '../storage/tables/external-ids.ts'
import type { Claim } from '../storage/tables/field-values.ts'
import type { StoredRecord } from '../storage/tables/records.ts'
import { type Changes, changedLabel, changedReferences, changedValues, linkChanges } from './changes.ts'
import {
  type Checked,
  checkClaims,
  checkRecordSize,
  claimsOf,
  type Existing,
  keysOf,
  reportCleared,
  reportMissing,
  reportUnset,
  reportWrong,
} from './check-input.ts'
import { checkExternalIds, type ExternalIdsChange, externalIdsChange } from './external-ids.ts'
import { parseStored, presentValue, type ValueChanges } from './stored-values.ts'

/** An input of a set, and what it does: it creates a record, changes one, or neither, if it is only checked. */
export type Draft = Checked & ({ does: 'create' | 'nothing' } | { does: 'change'; current: StoredRecord })

type CheckedDraft = {
  /** What changes of the record. Undefined if the draft changes none. */
  changes: Changes | undefined
  /** Other records that hold a value or an external id that the draft claims. */
  holders: readonly string[]
}

type Checking = { fields: FieldSet; existing: Existing; drafts: readonly Draft[] }

/**
 * Checks the inputs of a set, each against what is stored. Everything wrong is reported. The number of statements does
 * not depend on the number of inputs.
 */
export async function checkWrites(
  inside: Scope,
  resource: Resource,
  { fields, existing, drafts }: Checking,
): Promise<CheckedDraft[]> {
  const valued = drafts.map((draft) => checkValues(draft, fields))
  const links = await linkChanges(inside, resource, drafts.flatMap(linkingOf))
  await reportMissing(inside, resource, { checked: drafts, existing })
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

type Valued = { values: ValueChanges; claims: readonly Claim[]; except: readonly string[]; report: Report }

/** The values that a draft sets, and those of them that no other record may hold. */
function checkValues(draft: Draft, fields: FieldSet): Valued {
  const { input, report } = draft
  if (draft.does !== 'change') {
    for (const value of input.wrong.values()) reportWrong(value, report)
    if (draft.does === 'nothing') return { values: new Map(), claims: [], except: [], report }
    reportUnset(fields.list, input, report)
    return { values: input.values, claims: claimsOf(input.values), except: [], report }
  }
  const stored = parseStored(draft.current.custom_fields)
  reportNew(input.wrong, stored, report)
  const values = changedValues(stored, input.values)
  reportCleared(values, report)
  const claims = claimsOf(values).filter(({ field, key }) => !keysOf(field, stored[field.key]).includes(key))
  return { values, claims, except: [draft.current.id], report }
}

/** Reports wrong values. One that is sent as the record shows it stays, although its field became stricter. */
function reportNew(wrong: RecordInput['wrong'], stored: Readonly<Record<string, StoredValue>>, report: Report): void {
  for (const [field, value] of wrong) {
    if (!isDeepStrictEqual(value.sent, presentValue(stored[field.key], field))) reportWrong(value, report)
  }
}

function linkingOf(draft: Draft): { id: string; links: RecordInput['links'] }[] {
  return draft.does === 'change' ? [{ id: draft.current.id, links: draft.input.links }] : []
}

type CheckedIds = { changes: (ExternalIdsChange | undefined)[]; holders: readonly (readonly string[])[] }

async function checkIds(inside: Scope, resource: Resource, drafts: readonly Draft[]): Promise<CheckedIds> {
  const isSending = (draft: Draft) => draft.does === 'change' && draft.input.external_ids !== undefined
  const ids = drafts.flatMap((draft) => (draft.does === 'change' && isSending(draft) ? [draft.current.id] : []))
  const held = Map.groupBy(await loadExternalIds(inside, ids), (row) => row.record_id)
  const checking = drafts.map((draft) => {
    const sent = draft.does === 'nothing' ? undefined : draft.input.external_ids
    const id = draft.does === 'change' ? draft.current.id : ''
    return { change: externalIdsChange({ id, held: held.get(id) ?? [], sent }), sent, report: draft.report }
  })
  return { changes: checking.map(({ change }) => change), holders: await checkExternalIds(inside, resource, checking) }
}
