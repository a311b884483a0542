import { parseChanges } from '@kith/contract/changes/parse-changes'
import { isUnsent } from '@kith/contract/raw-input'
import { parseOrRefuse, refuseValue } from '@kith/contract/refusal'
import { atVersion } from '../fields/definitions.ts'
import { requireAbilities } from '../scope/permissions.ts'
import { inSnapshot, type Scope } from '../scope/scope.ts'
import { loadFeedHead, loadLatestEntries } from '../storage/tables/changes.ts'
import { loadUserNames } from '../storage/tables/members.ts'
import { loadEntriesById, loadUndos } from '../storage/tables/undos.ts'
import { partOf, ROUNDS } from './feed.ts'
import { findPosition, writeFeedCursor } from './position.ts'
import { presentChanges } from './present-changes.ts'
import type { Entry } from './read-part.ts'
import { auditedAs } from './value-changes.ts'

type AskedLatest = {
  /** The parameters of the feed. The cursor is where to go on, back in time; `since` is where to end. */
  raw: Readonly<Record<string, unknown>>
  /** Only those of the reader's token. */
  own: boolean
  /** Only those of a user. */
  actor_id: string | undefined
  excludes_sample: boolean
  resync: string
}

/** The latest changes of the workspace, newest first. The same cursors lead back from a position of the feed. */
export async function listLatestChanges(
  scope: Scope,
  { raw, own, actor_id, excludes_sample, resync }: AskedLatest,
): Promise<{ entries: Entry[]; next_cursor: string | null }> {
  requireAbilities(scope, ['read'])
  const { since, cursor, ...others } = raw
  const context = { schema: scope.schema, loose: false, now: scope.now().toISOString() }
  const [query, end] = parseOrRefuse([], (report) => [
    parseChanges({ ...others, cursor: isUnsent(cursor) ? 'now' : cursor }, context, report),
    isUnsent(since) ? undefined : parseChanges({ since }, context, report),
  ])
  await scope.engine.numberChanges(scope.workspace.id)
  return inSnapshot(scope, async (reading) => {
    const head = await loadFeedHead(reading)
    const inside = await atVersion(reading, head.fields_version)
    const { epoch, sequence, snapshot } = await findPosition(inside, query, { head, resync })
    if (snapshot) refuseValue('cursor', 'The cursor must be now, or the next_cursor of a page in this order.')
    const after = end ? (await findPosition(inside, end, { head, resync })).sequence : head.expired_until
    const part = { ...partOf(query, inside.schema), own, actor_id, excludes_sample, after }
    const entries: Entry[] = []
    let until = sequence
    for (let round = 0; round < ROUNDS && entries.length < query.limit && until > after; round++) {
      const found = await loadLatestEntries(inside, { ...part, until, limit: query.limit - entries.length })
      // Written by loadLatestEntries.
      const changes = JSON.parse(`[${found.text}]`) as Entry[]
      const { entries: some, covered } = await presentChanges(inside, changes, query)
      entries.push(...some)
      const left = changes[covered]
      until = left ? Number(left.attributes.sequence) : found.until
      if (left) break
    }
    const next_cursor = until > after ? writeFeedCursor(inside, { epoch, sequence: until }) : null
    return { entries: await withUndos(inside, entries), next_cursor }
  })
}

/** Adds which change an entry undoes, which has undone it, and which has caused it. */
async function withUndos(inside: Scope, entries: readonly Entry[]): Promise<Entry[]> {
  const ids = entries.map(({ id }) => id)
  const resources = [...new Set(entries.map(({ attributes }) => auditedAs(attributes.resource)))]
  const rows = await loadEntriesById(inside, { resources, ids })
  const byId = new Map(rows.map((row) => [row.id, row]))
  const wholeOf = (id: string) => byId.get(id)?.save_of ?? id
  const undone = await loadUndos(inside, ids.map(wholeOf))
  return entries.map((entry) => {
    const { undo_of = null, cause = null } = byId.get(entry.id) ?? {}
    const told = { undo_of, cause, undone_by: undone.get(wholeOf(entry.id)) ?? null }
    const known = Object.fromEntries(Object.entries(told).filter(([, id]) => id !== null))
    return { ...entry, attributes: { ...entry.attributes, ...known } }
  })
}

/** Adds the names of the users who made the changes. */
export async function withActorNames(scope: Scope, entries: readonly Entry[]): Promise<object[]> {
  const ids = entries.flatMap(({ attributes }) => attributes.origin?.actor_id ?? [])
  const names = new Map((await loadUserNames(scope.db, [...new Set(ids)])).map(({ id, name }) => [id, name]))
  return entries.map(({ attributes, ...entry }) => {
    const { origin } = attributes
    const actor_name = names.get(origin?.actor_id ?? '') ?? null
    return { ...entry, attributes: { ...attributes, origin: origin && { ...origin, actor_name } } }
  })
}
