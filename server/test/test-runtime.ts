import { randomBytes } from 'node:crypto'
import { Refusal } from '@kith/contract/refusal'
import { createUser } from '../src/accounts/users.ts'
import { createWorkspace } from '../src/accounts/workspaces.ts'
import type { Runtime } from '../src/scope/scope.ts'
import type { UserRow } from '../src/storage/tables/accounts.ts'
import type { WorkspaceRow } from '../src/storage/tables/workspaces.ts'
import { testEngine } from './engine.ts'

/** A runtime on a database of its own, whose clock the test can move. */
export type TestRuntime = Runtime & { clock: { now: Date } }

export async function testRuntime(): Promise<TestRuntime> {
  const clock = { now: new Date('2026-11-14T09:30:00.125Z') }
  return { engine: await testEngine(), secret: 's'.repeat(32), now: () => clock.now, clock }
}

export function newUser(runtime: Runtime, name = 'Ada'): Promise<UserRow> {
  return createUser(runtime, { email: `${randomBytes(6).toString('hex')}@example.com`, name })
}

export async function newWorkspace(runtime: Runtime): Promise<WorkspaceRow & { owner: UserRow }> {
  const owner = await newUser(runtime, 'Owner')
  const slug = `w${randomBytes(6).toString('hex')}`
  return { ...(await createWorkspace(runtime, { name: 'Acme', owner: owner.email, slug })), owner }
}

/** What a refused call was refused for: its kind, or the paths and messages of its issues. */
export async function refusalOf(call: Promise<unknown>): Promise<string[]> {
  try {
    await call
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const { reason } = error
    return reason.kind === 'invalid'
      ? reason.issues.map((issue) => `${issue.path}: ${issue.message}`)
      : [`${reason.kind}: ${error.message}`]
  }
  throw new Error('The call was not refused.')
}
