import type { FieldSelection } from '@kith/contract/answer-options'
import { type FeedResource, type Payload, recordParts } from '@kith/contract/changes/change-kind'
import type { ChangesQuery } from '@kith/contract/changes/parse-changes'
import { type Issue, reportInto } from '@kith/contract/issue'
import { CHANGES_MAX_BYTES } from '@kith/contract/limits'
import { parseFilter } from '@kith/contract/parse-filter'
import { isOwn, type Resource, type ResourceName, type Schema } from '@kith/contract/resource'
import { syncName } from '@kith/contract/resource-code'
import type { SchemaObject } from '@kith/contract/schema'
import { atVersion } from '../fields/definitions.ts'
import { type FieldObject, fieldObject } from '../fields/json-schema.ts'
import { completeRows, shownKeys } from '../records/complete-rows.ts'
import { externalIdsOf } from '../records/external-ids.ts'
import { presentRecord, presentUser, type ResourceObject } from '../records/present.ts'
import { type PartObject, presentPartsById } from '../records/present-parts.ts'
import { schemaObject } from '../schema/read-schema.ts'
import { mapInParts } from '../scope/large-work.ts'
import { inSnapshot, type Scope } from '../scope/scope.ts'
import { loadMembers } from '../storage/query/related.ts'
import { findMatching, loadSyncLinks, loadSyncRows } from '../storage/query/sync-rows.ts'
import type { AuditRow } from '../storage/tables/audit-log.ts'
import { loadFeedHead } from '../storage/tables/changes.ts'
import type { Link } from '../storage/tables/links.ts'
import type { LightRow, RecordRow } from '../storage/tables/records.ts'
import type { Entry, EntryObject } from './read-part.ts'
import { loadValueChanges, withValues } from './value-changes.ts'

type FeedShape = Pick<ChangesQuery, 'filter' | 'changed' | 'payload' | 'fields'>

/** The entries of some changes, and how many changes they cover: not all of them if the records are very large. */
export async function presentChanges(
  inside: Scope,
  changes: readonly Entry[],
  shaping: FeedShape,
): Promise<{ entries: Entry[]; covered: number }> {
  const { payload, fields } = shaping
  const rows = payload === 'thin' ? new Map<string, LightRow>() : await loadRows(inside, changes)
  const values = payload === 'diff' ? await loadValueChanges(inside, changes) : undefined
  const covered = coveredBy(changes, { rows, values })
  const part = changes.slice(0, covered)
  const [shown, matching, externalIds] = await Promise.all([
    payload === 'thin' ? undefined : present(inside, part, { ...shaping, rows }),
    matchingIds(inside, part, shaping),
    externalIdsOf(inside, idsOf(part, ...inside.schema.keys())),
  ])
  const entries = part.flatMap((change): Entry[] => {
    const { attributes } = change
    const isMatch = matching === undefined || matching.has(attributes.record_id)
    if (!isMatch && attributes.kind === 'created') return []
    if (isMatch && isUntouched(change, shaping.changed)) return []
    const isLeft = !isMatch && attributes.kind !== 'deleted' && attributes.kind !== 'merged'
    const record = shown && { record: isMatch ? (shown.get(nameOf(change)) ?? null) : null }
    const external_ids = externalIds.get(attributes.record_id) ?? attributes.external_ids
    const left = isLeft ? ({ kind: 'left', changed: [] } as const) : {}
    const entry = { ...change, attributes: { ...attributes, ...left, external_ids, ...record } }
    if (!values) return [entry]
    const isGone = inside.schema.has(attributes.resource) && !rows.has(nameOf(change))
    return [withValues(inside, entry, { row: values.get(change.id), isGone, fields })]
  })
  return { entries, covered }
}

/** Whether an update changed none of the attributes that the reader selects. */
function isUntouched({ attributes }: Entry, wanted: ReadonlySet<string> | undefined): boolean {
  return wanted !== undefined && attributes.kind === 'updated' && !attributes.changed.some((name) => wanted.has(name))
}

async function matchingIds(inside: Scope, changes: readonly Entry[], { filter }: FeedShape) {
  const [first] = changes
  if (!filter || !first) return undefined
  // Only the feed of one resource supports a filter.
  const resource = inside.schema.get(first.attributes.resource)
  return resource && findMatching(inside, resource, { filter, ids: idsOf(changes, resource.type) })
}

function nameOf({ attributes }: Entry): string {
  return `${attributes.resource} ${attributes.record_id}`
}

function idsOf(changes: readonly Entry[], ...types: readonly FeedResource[]): string[] {
  const own = changes.filter(({ attributes }) => types.includes(attributes.resource))
  return [...new Set(own.map(({ attributes }) => attributes.record_id))]
}

/** The live records of the changes. The custom fields of large ones are loaded later. */
async function loadRows(inside: Scope, changes: readonly Entry[]): Promise<Map<string, LightRow>> {
  const named = changedResources(inside.schema, changes)
  const loaded = await Promise.all(
    named.map((resource) => loadSyncRows(inside, resource, idsOf(changes, resource.type))),
  )
  return new Map(loaded.flatMap((rows, index) => rows.map((row) => [`${named[index]?.type} ${row.id}`, row])))
}

/** The resources of which some records changed. */
function changedResources(schema: Schema, changes: readonly Entry[]): Resource[] {
  const names = new Set(changes.map(({ attributes }) => attributes.resource))
  return [...schema.values()].filter(({ type }) => names.has(type))
}

/** How many changes fit into a response with their records and values. At least one. */
function coveredBy(
  changes: readonly Entry[],
  { rows, values }: { rows: ReadonlyMap<string, LightRow>; values: ReadonlyMap<string, AuditRow> | undefined },
): number {
  let bytes = 0
  for (const [index, change] of changes.entries()) {
    bytes += rows.get(nameOf(change))?.custom_bytes ?? 0
    bytes += values?.get(change.id)?.changes?.length ?? 0
    if (bytes > CHANGES_MAX_BYTES && index > 0) return index
  }
  return changes.length
}

/** The current objects of the changes, by resource and id. */
async function present(
  inside: Scope,
  changes: readonly Entry[],
  { rows, fields }: FeedShape & { rows: ReadonlyMap<string, LightRow> },
): Promise<Map<string, EntryObject>> {
  const ofType = (type: ResourceName) => idsOf(changes, type).flatMap((id) => rows.get(`${type} ${id}`) ?? [])
  const records = await Promise.all(
    changedResources(inside.schema, changes).map((resource) => {
      const own = ofType(resource.type)
      return own.length === 0 ? [] : presentSync(inside, resource, { rows: own, fields })
    }),
  )
  const members = await loadMembers(inside, idsOf(changes, 'users'))
  const parts = await Promise.all(recordParts.map((part) => presentPartsById(inside, part, idsOf(changes, part))))
  const named = new Set(idsOf(changes, 'custom_fields'))
  const schemas = new Set(idsOf(changes, 'schemas'))
  const shown: EntryObject[] = [
    ...records.flat(),
    ...members.map((member) => presentUser(member, fields)),
    ...parts.flat().map((one) => selected(one, fields)),
    ...definitionsShown(inside.schema).flatMap((one) => (named.has(one.id) ? [selected(one, fields)] : [])),
    ...(schemas.size > 0 ? changedSchemas(inside) : []).flatMap((one) =>
      schemas.has(one.id) ? [selected(one, fields)] : [],
    ),
  ]
  return new Map(shown.map((object) => [`${object.type} ${object.id}`, object]))
}

/** The resources that the workspace has made or renamed, as `GET /v1/schema` shows them. */
export function changedSchemas({ schema, workspace }: Scope): SchemaObject[] {
  const changed = [...schema.values()].filter((one) => isOwn(one) || one.row.updated_at !== one.row.created_at)
  return changed.map((one) => schemaObject(one, workspace.fields_version))
}

/** What the feed has besides the resources. */
const OTHERS: ReadonlySet<string> = new Set(['schemas', 'custom_fields', 'users', ...recordParts])

/** The active definitions as `GET /v1/custom-fields` shows them. */
export function definitionsShown(schema: Schema): FieldObject[] {
  return [...schema.values()].flatMap(({ fields }) => fields.list.map(fieldObject))
}

/** A definition, a schema, a file or a comment with the requested attributes. */
export function selected(
  { id, type, attributes }: FieldObject | SchemaObject | PartObject,
  fields: FieldSelection,
): EntryObject {
  const wanted = fields.get(type)?.attributes
  const some = Object.entries(attributes).filter(([name]) => !wanted || wanted.has(name))
  return { id, type, attributes: Object.fromEntries(some) }
}

/** The filters and attributes of a reader by resource, as a webhook has them. */
export type ShapingByResource = {
  filter: Readonly<Record<string, unknown>>
  changed: Readonly<Record<string, readonly string[]>>
  payload: Payload
}

/**
 * Entries with their current records, without those that the reader's filters exclude. Undefined if a filter is no
 * longer valid, because one of its fields or options was removed.
 */
export function presentByResource(
  scope: Scope,
  entries: readonly Entry[],
  { filter, changed, payload }: ShapingByResource,
): Promise<Entry[] | undefined> {
  return inSnapshot(scope, async (reading) => {
    const inside = await atVersion(reading, (await loadFeedHead(reading)).fields_version)
    const shown: Entry[] = []
    for (const [type, own] of Map.groupBy(entries, ({ attributes }) => attributes.resource)) {
      const resource = inside.schema.get(type)
      const since = resource?.row.since ?? ''
      // An endpoint stays silent about a resource that is archived or deleted.
      if (!resource && !OTHERS.has(type)) continue
      const issues: Issue[] = []
      const context = resource && { resource, loose: false, stored: true as const }
      const condition = context && parseFilter(filter[type], context, reportInto(issues))
      if (issues.length > 0) return undefined
      const names = changed[type]
      const shaping = { filter: condition, changed: names && new Set(names), payload, fields: new Map() }
      const current = own.filter(({ attributes }) => attributes.at >= since)
      shown.push(...(await presentAll(inside, current, shaping)))
    }
    return shown
  })
}

/** Large records are presented in several steps. */
async function presentAll(inside: Scope, entries: readonly Entry[], shaping: FeedShape): Promise<Entry[]> {
  const shown: Entry[] = []
  for (let done = 0; done < entries.length; ) {
    const { entries: some, covered } = await presentChanges(inside, entries.slice(done), shaping)
    shown.push(...some)
    done += covered
  }
  return shown
}

/**
 * Records in the sync form: with external ids and, for tasks and notes, all links. Members who have left are included.
 */
export async function presentSync(
  scope: Scope,
  resource: Resource,
  { rows, fields }: { rows: readonly LightRow[]; fields: FieldSelection },
): Promise<ResourceObject[]> {
  const ids = rows.map((row) => row.id)
  const [complete, externalIds, links] = await Promise.all([
    completeRows(scope, resource.type, { rows, keys: shownKeys(resource, fields) }),
    externalIdsOf(scope, ids),
    loadSyncLinks(scope, resource, ids),
  ])
  const byRecord = Map.groupBy(links, (link) => link.from_id)
  const presented = (row: RecordRow): ResourceObject => {
    const object = presentRecord(row, resource, { fields, externalIds })
    if (Object.keys(resource.links).length === 0) return object
    return { ...object, relationships: relationshipsOf(resource, byRecord.get(row.id) ?? []) }
  }
  return mapInParts(complete, presented, (_, row) => row.custom_fields.length)
}

/** As many records as fit into `max` bytes, but at least one. */
export function rowsWithin(rows: readonly LightRow[], max: number): readonly LightRow[] {
  let bytes = 0
  const end = rows.findIndex((row, index) => {
    bytes += row.custom_bytes
    return bytes > max && index > 0
  })
  return end === -1 ? rows : rows.slice(0, end)
}

/** In the order of the resource's relations. */
function relationshipsOf(resource: Resource, links: readonly Link[]): NonNullable<ResourceObject['relationships']> {
  const lists = Object.values(resource.links)
  const named = Object.keys(resource.relations).flatMap((name) => lists.filter(({ relation }) => relation === name))
  return Object.fromEntries(
    named.map(({ relation, to }) => {
      const own = links.filter((link) => link.relation === relation)
      return [syncName({ relation, to }), { data: own.map((link) => ({ id: link.to_id, type: to })) }]
    }),
  )
}
