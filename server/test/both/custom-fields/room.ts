import { Refusal } from '@kith/contract/refusal'
import { registry } from '@kith/contract/registry'
import type { ResourceName } from '@kith/contract/resource'
import { createUser } from '../../../src/accounts/users.ts'
import { enterAsOperator } from '../../../src/accounts/workspace.ts'
import { createWorkspace } from '../../../src/accounts/workspaces.ts'
import { readRecord } from '../../../src/records/read.ts'
import { createRecord } from '../../../src/records/write.ts'
import type { Runtime, Scope } from '../../../src/scope/scope.ts'
import { testEngine } from '../../engine.ts'

/** A workspace of its own on an engine of its own. */
export type Room = {
  runtime: Runtime
  /** The owner's scope as a request of this moment would have it. */
  enter(): Promise<Scope>
  /** The same of another workspace in the same database. */
  enterNextDoor(): Promise<Scope>
  close(): Promise<void>
}

export async function openRoom(): Promise<Room> {
  const engine = await testEngine()
  const runtime: Runtime = { engine, secret: 'a secret of the tests', now: () => new Date() }
  const user = await createUser(runtime, { email: 'ada@example.com', name: 'Ada' })
  const { slug } = await createWorkspace(runtime, { name: 'Room', owner: user.id })
  const nextDoor = await createWorkspace(runtime, { name: 'Next door', owner: user.id })
  return {
    runtime,
    enter: () => enterAsOperator(runtime, slug),
    enterNextDoor: () => enterAsOperator(runtime, nextDoor.slug),
    close: () => engine.close(),
  }
}

const unasked = { raw: {}, loose: false, issues: [] }

export type Shown = { id: string; updated_at: string; custom_fields: Record<string, unknown> }

/** Makes a record and returns its id. */
export async function make(scope: Scope, resource: ResourceName, custom_fields: object): Promise<string> {
  const label = registry[resource].label
  const sent = { body: { [label]: 'One', custom_fields }, asked: unasked }
  const { data } = await createRecord(scope, registry[resource], sent)
  return data()[0]?.id ?? ''
}

export async function read(scope: Scope, resource: ResourceName, id: string): Promise<Shown> {
  const { data } = await readRecord(scope, registry[resource], { id, asked: unasked })
  // Every record shows these.
  return { id, ...data()[0]?.attributes } as Shown
}

/** The problems for which something is refused, by path. */
export async function issuesOf(work: Promise<unknown>): Promise<Record<string, string>> {
  const { reason } = await refusalOf(work)
  return reason.kind === 'invalid' ? Object.fromEntries(reason.issues.map(({ path, message }) => [path, message])) : {}
}

export async function refusalOf(work: Promise<unknown>): Promise<Refusal> {
  try {
    await work
  } catch (error) {
    if (error instanceof Refusal) return error
    throw error
  }
  throw new Error('Nothing was refused.')
}
