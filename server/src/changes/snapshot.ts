import type { FeedResource } from '@kith/contract/changes/change-kind'
import type { ChangesQuery } from '@kith/contract/changes/parse-changes'
import type { Definitions } from '@kith/contract/field-definition'
import { CHANGES_MAX_BYTES } from '@kith/contract/limits'
import { registry } from '@kith/contract/registry'
import { externalIdsOf } from '../records/external-ids/external-ids-of.ts'
import { presentUser } from '../records/present.ts'
import type { Scope } from '../scope/scope.ts'
import { loadIdPage } from '../storage/query/id-pages.ts'
import { loadMembersAfter } from '../storage/tables/members.ts'
import type { LightRow } from '../storage/tables/records.ts'
import type { SnapshotPlace } from './cursor.ts'
import { type Entry, snapshotEntry } from './entry.ts'
import { definitionsShown, selected } from './present-changes.ts'
import { presentSync } from './sync-form.ts'

type Asked = { query: ChangesQuery; definitions: Definitions; place: SnapshotPlace }

/** The next entries of an initial sync, and where to read on; undefined at the hand-off. */
export async function readSnapshot(
  inside: Scope,
  { query, definitions, place }: Asked,
): Promise<{ entries: Entry[]; next: SnapshotPlace | undefined }> {
  const { resources, limit } = query
  const entries: Entry[] = []
  let { resource, after } = place
  while (resource < resources.length && entries.length < limit) {
    const type = resources[resource]
    if (type === undefined) break
    const part = { query, definitions, after, limit: limit - entries.length }
    const { some, next } = await readSome(inside, type, part)
    entries.push(...some)
    after = next ?? ''
    if (next !== undefined) break
    resource++
  }
  return { entries, next: resource < resources.length ? { ...place, resource, after } : undefined }
}

type Part = { query: ChangesQuery; definitions: Definitions; after: string; limit: number }

type Some = { some: Entry[]; next: string | undefined }

/** Entries of one resource after an id, and the id after which to read on; undefined if they are its last. */
async function readSome(inside: Scope, type: FeedResource, part: Part): Promise<Some> {
  const { query, definitions, after, limit } = part
  const { thin } = query
  const bare = { external_ids: {}, resource: type, thin }
  if (type === 'custom_fields') {
    const all = definitionsShown(definitions).toSorted((one, other) => (one.id < other.id ? -1 : 1))
    const left = all.filter(({ id }) => id > after)
    const some = left.slice(0, limit)
    const entries = some.map((field) =>
      snapshotEntry({ ...bare, at: field.attributes.updated_at, record: selected(field, query.fields) }),
    )
    return { some: entries, next: some.length === left.length ? undefined : some.at(-1)?.id }
  }
  if (type === 'users') {
    const rows = await loadMembersAfter(inside.db, inside.workspace.id, { after, limit: limit + 1 })
    const some = rows.slice(0, limit)
    const entries = some.map((row) =>
      snapshotEntry({ ...bare, at: row.updated_at, record: presentUser(row, query.fields) }),
    )
    return { some: entries, next: rows.length <= limit ? undefined : some.at(-1)?.id }
  }
  const resource = registry[type]
  const { rows, until } = await loadIdPage(inside, resource, { filter: query.filter, after, limit: limit + 1 })
  const some = fitting(rows.slice(0, limit))
  const ids = await externalIdsOf(
    inside,
    some.map((row) => row.id),
  )
  const records = await presentSync(inside, resource, { rows: some, definitions, fields: query.fields })
  const times = new Map(some.map((row) => [row.id, row.updated_at]))
  const entries = records.map((record) => {
    const external_ids = ids.get(record.id) ?? {}
    return snapshotEntry({ ...bare, at: times.get(record.id) ?? '', external_ids, record })
  })
  return { some: entries, next: some.length === rows.length ? until : some.at(-1)?.id }
}

/** As many as fit into a response, and at least one. */
function fitting(rows: readonly LightRow[]): LightRow[] {
  let bytes = 0
  const end = rows.findIndex((row, index) => {
    bytes += row.custom_bytes
    return bytes > CHANGES_MAX_BYTES && index > 0
  })
  return end === -1 ? [...rows] : rows.slice(0, end)
}
