import { isOwn, resourceNames, type Schema } from '../resource.ts'

/** The kinds of changes of a record, a definition or a member, as the feed stores them. */
export const storedKinds = ['created', 'updated', 'deleted', 'restored', 'merged'] as const
export type StoredKind = (typeof storedKinds)[number]

/** What entries carry: the record, neither the record nor values, or the record and the values before and after. */
export const payloads = ['full', 'thin', 'diff'] as const
export type Payload = (typeof payloads)[number]

/** What belongs to records and has changes of its own. Readers of the feed get it only if they name it. */
export const recordParts = ['files', 'comments'] as const
export type RecordPart = (typeof recordParts)[number]

/** What readers get unless they name resources, in the order in which an initial sync returns it. */
export function feedResourcesOf(schema: Schema): string[] {
  const own = [...schema.values()].filter(isOwn).map(({ type }) => type)
  return ['schemas', 'custom_fields', 'users', ...resourceNames, ...own.sort()]
}

/** Everything that has changes, in the same order. */
export function namedResourcesOf(schema: Schema): string[] {
  return [...feedResourcesOf(schema), ...recordParts]
}

export function isRecordPart(resource: FeedResource): resource is RecordPart {
  return recordParts.some((part) => part === resource)
}

/** A resource of the workspace, what belongs to its records, `schemas`, `custom_fields` or `users`. */
export type FeedResource = string
