import { fieldTypes } from '@kith/contract/field-types'
import type { Issue } from '@kith/contract/issue'
import { refuse, refuseIfAny } from '@kith/contract/refusal'
import type { Resource } from '@kith/contract/resource'
import { requireGranted } from '../scope/permissions.ts'
import { requireResource } from '../scope/read-input.ts'
import { inSnapshot, inTransaction, type Scope } from '../scope/scope.ts'
import { followTable, insertFollows, loadFollowers, unfollowWinner } from '../storage/tables/follows.ts'
import { loadLinked, lockRows } from '../storage/tables/links.ts'
import { insertMoves, type Move } from '../storage/tables/merges.ts'
import {
  loadNotificationsOf,
  lockMembers,
  moveNotifications,
  moveNotificationsBack,
} from '../storage/tables/notifications.ts'
import { loadCommenters } from '../storage/tables/record-parts.ts'
import { findRecord, type RecordRow } from '../storage/tables/records.ts'
import { refuseMissing } from './merge/merged-into.ts'
import { idInPath } from './read.ts'
import { idsIn, valuesIn } from './stored-values.ts'

/*
 * Members follow what they made, own, are assigned to or commented on. That is known, so it is not stored again: only
 * what they say by hand is.
 */

type Followed = { id: string; issues: readonly Issue[] }

/** Whether the user follows a record. */
export function readFollow(scope: Scope, resource: Resource, { id, issues }: Followed): Promise<boolean> {
  requireGranted(scope, ['read'])
  return inSnapshot(scope, async (inside) => {
    const row = await requireRow(inside, resource, id)
    refuseIfAny([...issues])
    const { user_id } = inside.actor
    const said = await followTable.find(inside, { user_id, record_id: row.id })
    return said ? said.following === 1 : (await concernedBy(inside, resource, row)).has(user_id)
  })
}

/** Follows a record by hand, or ends it. */
export function replaceFollowing(
  scope: Scope,
  named: Resource,
  { id, issues, following }: Followed & { following: boolean },
): Promise<boolean> {
  requireGranted(scope, [following ? 'update' : 'delete'])
  return inTransaction(scope, async (inside) => {
    const resource = requireResource(inside.schema, named.type)
    await lockRows(inside, [{ of: resource.number, ids: [idInPath(resource, id)], mode: 'refer' }])
    const { id: record_id } = await requireRow(inside, resource, id)
    refuseIfAny([...issues])
    const [user_id] = await lockMembers(inside, [inside.actor.user_id])
    if (user_id === undefined) refuse({ kind: 'forbidden', message: 'You are no longer a member of the workspace.' })
    await followTable.put(inside, { user_id, record_id, following: Number(following) }, ['record_id', 'user_id'])
    return following
  })
}

async function requireRow(scope: Scope, resource: Resource, id: string): Promise<RecordRow> {
  return (await findRecord(scope, resource, idInPath(resource, id))) ?? refuseMissing(scope, resource, id)
}

/** Who follows a record, by hand or because it concerns them. Some of them may have left. */
export async function followersOf(scope: Scope, resource: Resource, row: RecordRow): Promise<Set<string>> {
  const followers = await concernedBy(scope, resource, row)
  for (const { user_id, following } of await followTable.load(scope, { record_id: row.id }, 'user_id')) {
    if (following === 1) followers.add(user_id)
    else followers.delete(user_id)
  }
  return followers
}

/** Who made a record, owns it, has commented on it, or is named by its assignees or its fields. */
async function concernedBy(scope: Scope, resource: Resource, row: RecordRow): Promise<Set<string>> {
  const shown: Readonly<Record<string, unknown>> = row
  const columns = Object.entries(resource.references).flatMap(([column, { to }]) => (to === 'users' ? [column] : []))
  const relations = Object.values(resource.links).flatMap(({ to, relation }) => (to === 'users' ? [relation] : []))
  const links = await loadLinked(scope, [row.id], relations)
  const fields = resource.fields.list.filter(({ type }) => fieldTypes[type].refersTo === 'members')
  const named = [
    row.creator_id,
    ...columns.map((column) => shown[column]),
    ...links.map(({ to_id }) => to_id),
    ...(await loadCommenters(scope, row.id)),
    ...valuesIn(row, fields).flatMap(([, value]) => idsIn(value)),
  ]
  return new Set(named.filter((id) => typeof id === 'string'))
}

type MergeIds = { merge_id: string; winner_id: string }

/** Those who follow losers of a merge by hand follow its winner. Notifications about losers are about the winner. */
export async function followersToWinner(
  inside: Scope,
  { merge_id, winner_id, loser_ids }: MergeIds & { loser_ids: readonly string[] },
): Promise<void> {
  const members = await loadFollowers(inside, loser_ids)
  const following = members.length === 0 ? [] : await lockMembers(inside, members)
  const added = await insertFollows(inside, following, winner_id)
  const notifications = await loadNotificationsOf(inside, loser_ids)
  await moveNotifications(inside, loser_ids, winner_id)
  await insertMoves(inside, merge_id, [
    ...added.map((id) => moveOf('follows', id, loser_ids[0] ?? '')),
    ...notifications.map(({ id, record_id }) => moveOf('notifications', id, record_id)),
  ])
}

function moveOf(resource: string, record_id: string, from_id: string): Move {
  return { resource, relation: 'record_id', record_id, from_id, added: 1 }
}

/** Takes it back. */
export async function followersFromWinner(inside: Scope, merging: MergeIds): Promise<void> {
  await unfollowWinner(inside, merging)
  await moveNotificationsBack(inside, merging)
}
