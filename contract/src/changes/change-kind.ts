import { isOwn, resourceNames, type Schema } from '../resource.ts'

/** The kinds of changes of a record, a definition or a member, as the feed stores them. */
export const storedKinds = ['created', 'updated', 'deleted', 'restored', 'merged'] as const
export type StoredKind = (typeof storedKinds)[number]

/** What belongs to records and has changes of its own. Readers of the feed get it only if they name it. */
export const recordParts = ['files'] as const

/** Everything that has changes, in the order in which an initial sync returns it. */
export function feedResourcesOf(schema: Schema): string[] {
  const own = [...schema.values()].filter(isOwn).map(({ type }) => type)
  return ['schemas', 'custom_fields', 'users', ...resourceNames, ...own.sort()]
}

/** A resource of the workspace, `schemas`, `custom_fields` or `users`. */
export type FeedResource = string
