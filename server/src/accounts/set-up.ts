import { createHmac } from 'node:crypto'
import { NAME_MAX } from '@kith/contract/limits'
import { refuse } from '@kith/contract/refusal'
import { readInput } from '../scope/read-input.ts'
import type { Runtime } from '../scope/scope.ts'
import { hasUser, type UserRow } from '../storage/tables/accounts.ts'
import type { WorkspaceRow } from '../storage/tables/workspaces.ts'
import { isSame } from './token-format.ts'
import { insertPrepared, prepareUser } from './users.ts'
import { createWorkspaceIn } from './workspaces.ts'

/** The token of the set-up link that the service prints. Derived from the secret, so every node prints the same. */
export function setUpToken(secret: string): string {
  return createHmac('sha256', secret).update('set-up').digest('base64url')
}

type SetUp = { user: UserRow; workspace: WorkspaceRow; sample: boolean }

/** Creates the first account and its workspace with the printed link. Works once. */
export async function setUp(runtime: Runtime, input: unknown): Promise<SetUp> {
  const sent = readInput(input, (fields) => ({
    token: fields.text('token'),
    name: fields.text('name', NAME_MAX),
    email: fields.text('email'),
    password: fields.text('password'),
    workspace_name: fields.text('workspace_name', NAME_MAX),
    sample: fields.flag('sample', false),
  }))
  if (!isSame(sent.token, setUpToken(runtime.secret))) {
    const message = 'This link is not the one that the service printed. Use the newest one in its log.'
    refuse({ kind: 'forbidden', message })
  }
  if (await hasUser(runtime.engine.db)) refuseAgain()
  // Only the operator can read the log with the link.
  const prepared = await prepareUser(runtime, { ...sent, verified: true })
  return runtime.engine.transaction(async (inside) => {
    await runtime.engine.lock(inside, ['set-up'])
    if (await hasUser(inside)) refuseAgain()
    const user = await insertPrepared(runtime, inside, prepared)
    const workspace = await createWorkspaceIn(runtime, inside, {
      name: sent.workspace_name,
      owner: user.id,
      created_by: user.id,
    })
    return { user, workspace, sample: sent.sample }
  })
}

function refuseAgain(): never {
  return refuse({ kind: 'forbidden', message: 'This installation is set up already. Sign in instead.' })
}
