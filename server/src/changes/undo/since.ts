import { isDeepStrictEqual } from 'node:util'
import { recordParts } from '@kith/contract/changes/change-kind'
import type { FieldDefinition } from '@kith/contract/field-definition'
import { momentOf } from '@kith/contract/id'
import type { Issue } from '@kith/contract/issue'
import { isObject } from '@kith/contract/raw-input'
import { EXTERNAL_IDS, type Resource } from '@kith/contract/resource'
import type { Change } from '../../journal/write.ts'
import { externalIdsOf } from '../../records/external-ids.ts'
import { goneIn, parseStored, presentValue } from '../../records/stored-values.ts'
import type { Scope } from '../../scope/scope.ts'
import type { StoredRecord } from '../../storage/tables/records.ts'
import { type LaterEntry, loadEntriesById, loadLaterEntries, loadUndos } from '../../storage/tables/undos.ts'
import { changesIn } from '../audit-log.ts'
import type { FoundChange } from './found-change.ts'

/** The entries of records after some changes, without those that are undone and those that undo. */
type Since = {
  all: ReadonlyMap<string, readonly LaterEntry[]>
  counts(entry: LaterEntry): boolean
}

export async function loadSince(inside: Scope, changes: readonly FoundChange[]): Promise<Since> {
  const entries = await loadLaterEntries(inside, changes)
  const causes = [...new Set(entries.flatMap(({ cause }) => cause ?? []))]
  const resources = [...inside.schema.keys(), ...recordParts]
  const undoing = await loadEntriesById(inside, { resources, ids: causes })
  const undos = new Set(undoing.flatMap(({ id, undo_of }) => (undo_of === null ? [] : [id])))
  const undone = await loadUndos(inside, [...entries.map(({ id }) => id), ...causes])
  // What an undo causes, and what an undone change has caused, is undone as well.
  const isTakenBack = (id: string) => undone.has(id) || undos.has(id)
  return {
    all: Map.groupBy(entries, ({ record_id }) => record_id),
    counts: ({ id, undo_of, cause }) => undo_of === null && !undone.has(id) && (cause === null || !isTakenBack(cause)),
  }
}

const RETURNS: ReadonlySet<string> = new Set(['delete', 'restore'])

/** When something of a new record was changed since. Its deletion and return change nothing of it. */
export function changedAfterCreation({ all, counts }: Since, { record_id }: FoundChange): string | undefined {
  const entry = all.get(record_id)?.find((one) => counts(one) && !RETURNS.has(one.action))
  return entry && momentOf(entry.id)
}

/** The values of updates that are not what these have made them. */
export async function changedValues(
  inside: Scope,
  resource: Resource,
  updates: readonly { change: FoundChange; current: StoredRecord }[],
): Promise<Map<string, Issue[]>> {
  const named = (field: string) => updates.filter(({ change }) => change.changes.some(([name]) => name === field))
  const external = await externalIdsOf(
    inside,
    named(EXTERNAL_IDS).map(({ current }) => current.id),
  )
  const links = Object.keys(resource.links)
  let since: Since | undefined
  const load = async () => {
    since ??= await loadSince(
      inside,
      updates.map(({ change }) => change),
    )
    return since
  }
  const found = new Map<string, Issue[]>()
  for (const { change, current } of updates) {
    const differing: string[] = []
    for (const [field, , after] of change.changes) {
      const isSame = links.includes(field)
        ? isUnmoved((await load()).all.get(change.record_id) ?? [], field)
        : isDeepStrictEqual(
            currentValue(resource, { current, field, external: external.get(current.id) }),
            plain(after),
          )
      if (!isSame) differing.push(field)
    }
    if (differing.length === 0) continue
    const entries = (await load()).all.get(change.record_id) ?? []
    const { counts } = await load()
    found.set(
      change.id,
      differing.map((field) => changedIssue(field, entries.filter(counts))),
    )
  }
  return found
}

function changedIssue(field: string, entries: readonly LaterEntry[]): Issue {
  const last = entries.findLast((entry) => changesIn(entry).some(([name]) => name === field))
  const when = last ? `was changed again at ${momentOf(last.id)} (${last.id})` : 'has another value now'
  return { path: field, message: `The ${field} ${when}. The change cannot be undone.` }
}

/**
 * Whether a list of links is the same as before some entries, which name the links that they added and removed. A link
 * to a record that was restored since then was in the list all the time.
 */
function isUnmoved(entries: readonly LaterEntry[], field: string): boolean {
  const before = new Map<unknown, boolean>()
  const now = new Map<unknown, boolean>()
  for (const entry of entries) {
    const [, removed, added] = changesIn(entry).find(([name]) => name === field) ?? []
    const isReadableAgain = entry.cause !== null && Array.isArray(removed) && removed.length === 0
    if (isReadableAgain) continue
    for (const [ids, linked] of [
      [removed, false],
      [added, true],
    ] as const) {
      for (const id of Array.isArray(ids) ? ids : []) {
        before.getOrInsert(id, !linked)
        now.set(id, linked)
      }
    }
  }
  return [...now].every(([id, linked]) => before.get(id) === linked)
}

/** A value as a change has it, without the words of options, which may be renamed. */
export function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain)
  if (isObject(value) && typeof value.id === 'string') return value.id
  if (isObject(value)) return Object.fromEntries(Object.entries(value).map(([key, ids]) => [key, sorted(ids)]))
  return value ?? null
}

/** The order of external ids does not matter. */
function sorted(ids: unknown): unknown {
  return Array.isArray(ids) ? ids.toSorted() : ids
}

function currentValue(
  resource: Resource,
  { current, field, external }: { current: StoredRecord; field: string; external: unknown },
): unknown {
  if (field === resource.label) return current[resource.label]
  if (field === EXTERNAL_IDS) return plain(external ?? {})
  if (field in resource.references) return current.stored[field] ?? null
  const definition = fieldNamed(resource, field)
  return (
    definition && plain(presentValue(parseStored(current.custom_fields)[definition.key], definition, goneIn(current)))
  )
}

/** The active custom field of a changed attribute. */
export function fieldNamed(resource: Resource, field: Change[0]): FieldDefinition | undefined {
  return resource.fields.byCode.get(field.slice('custom_fields.'.length))
}
