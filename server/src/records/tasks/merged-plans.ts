import { registry } from '@kith/contract/registry'
import type { Resource } from '@kith/contract/resource'
import type { Scope } from '../../scope/scope.ts'
import { insertMoves } from '../../storage/tables/merges.ts'
import { lockMembers } from '../../storage/tables/notifications.ts'
import { reminderTable, removeMergedPlans, repeatTable } from '../../storage/tables/task-plans.ts'

type MergeIds = { merge_id: string; winner_id: string }

/** The winner of a merge of tasks repeats like a loser, unless it repeats itself, and reminds who had a reminder. */
export async function plansToWinner(
  inside: Scope,
  { number }: Resource,
  { merge_id, winner_id, loser_ids }: MergeIds & { loser_ids: readonly string[] },
): Promise<void> {
  if (number !== registry.tasks.number) return
  const record_id = [winner_id, ...loser_ids]
  const repeats = await repeatTable.load(inside, { record_id }, 'record_id')
  const [first] = repeats.some((row) => row.record_id === winner_id) ? [] : repeats
  const reminders = await reminderTable.load(inside, { record_id }, 'record_id', 'user_id')
  const own = new Set(reminders.filter((row) => row.record_id === winner_id).map(({ user_id }) => user_id))
  const taken = new Map(reminders.filter(({ user_id }) => !own.has(user_id)).map((row) => [row.user_id, row]))
  const members = taken.size === 0 ? [] : await lockMembers(inside, [...taken.keys()])
  const kept = members.flatMap((id) => taken.get(id) ?? [])
  await repeatTable.insertAll(inside, first ? [{ ...first, record_id: winner_id, previous_id: null }] : [])
  await reminderTable.insertAll(
    inside,
    kept.map((row) => ({ ...row, record_id: winner_id })),
  )
  const move = { relation: 'record_id', added: 1 } as const
  await insertMoves(inside, merge_id, [
    ...(first ? [{ ...move, resource: 'task_repeats', record_id: winner_id, from_id: first.record_id }] : []),
    ...kept.map((row) => ({ ...move, resource: 'reminders', record_id: row.user_id, from_id: row.record_id })),
  ])
}

/** Takes it back. */
export async function plansFromWinner(inside: Scope, { number }: Resource, merging: MergeIds): Promise<void> {
  if (number === registry.tasks.number) await removeMergedPlans(inside, merging)
}
