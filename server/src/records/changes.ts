import type { FieldDefinition } from '@kith/contract/field-definition'
import type { StoredValue } from '@kith/contract/field-type'
import type { Resource } from '@kith/contract/resource'
import { type AuditEntry, writeAudit } from '../audit/write.ts'
import { posting, type Scope } from '../scope/scope.ts'
import type { RowParts } from '../storage/engines/engine.ts'
import { addToCounts } from '../storage/tables/counts.ts'
import { insertValues, removeValues, valueRows } from '../storage/tables/field-values.ts'
import { insertLinks, removeLinks } from '../storage/tables/links.ts'
import { type RecordRow, type StoredRecord, updateRecord } from '../storage/tables/records.ts'
import { momentAfter, nameKey, searchTexts } from './effects.ts'
import { changedJson } from './record-size.ts'

export type LinkChange = { relation: string; added: readonly string[]; removed: readonly string[] }

/** What a write really changes of a record; what stays as it is does not appear. */
export type Changes = {
  label: string | undefined
  references: ReadonlyMap<string, string | null>
  values: ReadonlyMap<FieldDefinition, StoredValue | null>
  links: readonly LinkChange[]
}

/** A record as it is stored, and what changes of it. */
export type Changing = { current: StoredRecord; changes: Changes }

export function isNothing({ label, references, values, links }: Changes): boolean {
  return label === undefined && references.size === 0 && values.size === 0 && links.length === 0
}

/**
 * Stores changes together with the index, the search texts, the links, the counts and what the log tells of them.
 * Returns the record as it would be read afterwards: what it newly refers to was found to be there in this very
 * transaction.
 */
export async function applyChanges(
  inside: Scope,
  resource: Resource,
  { current, changes, entries }: Changing & { entries: readonly AuditEntry[] },
): Promise<RecordRow> {
  const { label, references, values } = changes
  const shown: RowParts & { updated_at: string } = {
    ...(label === undefined ? {} : { [resource.label]: label }),
    ...Object.fromEntries(references),
    ...(values.size === 0 ? {} : { custom_fields: changedJson(current.custom_fields, values) }),
    updated_at: momentAfter(inside, current.updated_at),
  }
  const posted = posting(inside)
  await takeAway(posted, resource, { current, changes })
  const key: RowParts = label === undefined ? {} : { name_key: nameKey(label) }
  await updateRecord(posted, { resource, id: current.id }, { ...shown, ...key })
  await putInPlace(posted, resource, { current, changes })
  await writeAudit(posted, entries)
  await addToCounts(posted, resource.type, 0)
  return { ...current, ...shown }
}

async function takeAway(inside: Scope, resource: Resource, { current, changes }: Changing): Promise<void> {
  const { id } = current
  const { values, links } = changes
  const changed = [...values.keys()].map((field) => field.id)
  const cleared = [...values].filter(([, value]) => value === null).map(([field]) => field.id)
  await removeValues(inside, id, changed)
  await inside.engine.search.remove(
    inside.db,
    { workspaceId: inside.workspace.id, table: resource.type },
    { recordId: id, fields: cleared },
  )
  for (const { relation, removed } of links) await removeLinks(inside, id, { relation, to_ids: removed })
}

async function putInPlace(inside: Scope, resource: Resource, { current, changes }: Changing): Promise<void> {
  const { id, created_at } = current
  const { label, values, links } = changes
  const workspaceId = inside.workspace.id
  const kept = [...values].flatMap(([field, value]) => (value === null ? [] : [[field, value] as const]))
  await insertValues(inside, valueRows(workspaceId, { id, created_at, values: kept }))
  await inside.engine.search.put(
    inside.db,
    { workspaceId, table: resource.type },
    searchTexts(resource, { id, label, values: kept }),
  )
  const fresh = links.flatMap(({ relation, added }) => added.map((to_id) => ({ from_id: id, relation, to_id })))
  await insertLinks(inside, resource.type, fresh)
}
