import { NAME_MAX } from '@kith/contract/limits'
import { findUser, replaceUserName, type UserRow } from '../db/accounts.ts'
import { readInput } from '../read-input.ts'
import type { House } from '../scope.ts'
import { parseName } from './parse-account.ts'
import type { SessionHolder } from './sessions.ts'
import { createWorkspace } from './workspaces.ts'

/** Changes what a user is called. */
export function updateProfile(house: House, { user_id }: SessionHolder, input: unknown): Promise<UserRow> {
  const name = readInput(input, (fields) => {
    const sent = fields.text('name')
    return sent === '' ? undefined : parseName(sent, { path: 'name', max: NAME_MAX }, fields.report)
  })
  return house.engine.transaction(async (inside) => {
    if (name !== undefined) await replaceUserName(inside, user_id, name, house.now().toISOString())
    const user = await findUser(inside, user_id)
    if (!user) throw new Error('A session belongs to nobody.')
    return user
  })
}

/** Makes another workspace, whose owner the user becomes. */
export async function createOwnWorkspace(
  house: House,
  { user_id }: SessionHolder,
  input: unknown,
): Promise<{ id: string; slug: string; name: string }> {
  const sent = readInput(input, (fields) => ({ name: fields.text('name'), slug: fields.optionalText('slug') }))
  const { id, slug, name } = await createWorkspace(house, { ...sent, owner: user_id })
  return { id, slug, name }
}
