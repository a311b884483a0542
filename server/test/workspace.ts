import { randomBytes } from 'node:crypto'
import { type Ability, abilities as allAbilities, type Role } from '@kith/contract/abilities'
import type { ResourceName } from '@kith/contract/resource'
import { inject } from 'vitest'
import { addMember, changeRole, removeMember } from '../src/accounts/members.ts'
import { createToken, revokeToken } from '../src/accounts/tokens.ts'
import { createUser } from '../src/accounts/users.ts'
import { enterAsMember, enterAsOperator } from '../src/accounts/workspace.ts'
import { createWorkspace } from '../src/accounts/workspaces.ts'
import { createField, updateField } from '../src/schema/define.ts'
import type { Runtime, Scope } from '../src/scope/scope.ts'
import type { Engine } from '../src/storage/engines/engine.ts'
import { openEngine } from '../src/storage/engines/open-engine.ts'
import { DatabaseBusy } from '../src/storage/engines/storage-trouble.ts'
import { type Api, apiAt } from './api.ts'

export type Person = { id: string; email: string; name: string }

/** What a test does with its own workspace besides calling the service. */
export type TestWorkspace = {
  id: string
  slug: string
  owner: Person
  runtime: Runtime
  /** The owner, with every ability. */
  api: Api
  /** Another token, of the owner unless someone else is named. */
  token(options?: { abilities?: readonly Ability[]; user?: Person; url?: string }): Promise<Api & { id: string }>
  revoke(tokenId: string): Promise<void>
  member(role: Role): Promise<Person>
  setRole(person: Person, role: Role): Promise<void>
  remove(person: Person): Promise<void>
  /** Defines a custom field; its code is what the name makes it unless given. */
  field(resource: ResourceName, input: FieldInput): Promise<{ id: string; code: string; options: readonly Option[] }>
  updateField(resource: ResourceName, code: string, input: object): Promise<{ duplicates: number }>
  /** The owner's scope, for operations without an endpoint. */
  scope(): Promise<Scope>
}

export type Option = { id: string; label: string }
export type FieldInput = { name: string; type: string } & Record<string, unknown>

let runtime: Runtime | undefined

/** The database of the shared service, opened once for each worker. */
export function sharedRuntime(): Runtime {
  const { database_url, secret } = inject('service')
  runtime ??= runtimeAt(database_url, secret)
  return runtime
}

/** What another process on the database of the shared service is started with. */
export function sharedEnv(): Record<string, string> {
  const { database_url, secret } = inject('service')
  return { DATABASE_URL: database_url, SECRET: secret }
}

export function runtimeAt(url: string, secret: string): Runtime {
  return { engine: patient(openEngine({ url, connections: 4 }, { writes: true })), secret, now: () => new Date() }
}

/** Repeats transactions that could not begin: on a busy machine, others may write for longer than a write waits. */
function patient(engine: Engine): Engine {
  const transaction: Engine['transaction'] = async (work) => {
    for (;;) {
      try {
        return await engine.transaction(work)
      } catch (error) {
        if (!(error instanceof DatabaseBusy)) throw error
      }
    }
  }
  return { ...engine, transaction }
}

/** A workspace of one's own in the shared service, or in another one. */
export async function newWorkspace(at?: { url: string; runtime: Runtime }): Promise<TestWorkspace> {
  const { url, runtime } = at ?? { url: inject('service').url, runtime: sharedRuntime() }
  const owner = await newPerson(runtime)
  const slug = `w${randomBytes(8).toString('hex')}`
  const { id } = await createWorkspace(runtime, { name: `Workspace ${slug}`, slug, owner: owner.email })
  const scope = () => enterAsOperator(runtime, slug)
  const token: TestWorkspace['token'] = async (options = {}) => {
    const { abilities = allAbilities, user = owner } = options
    const member = await enterAsMember(runtime, slug, user.email)
    const made = await createToken(member, { name: 'test', abilities, expires: 'never' })
    return { ...apiAt(options.url ?? url, made.token), id: made.id }
  }
  return {
    id,
    slug,
    owner,
    runtime,
    api: await token(),
    token,
    scope,
    revoke: async (tokenId) => void (await revokeToken(await scope(), tokenId)),
    async member(role) {
      const person = await newPerson(runtime)
      await addMember(await scope(), { email: person.email, role })
      return person
    },
    setRole: async (person, role) => void (await changeRole(await scope(), { email: person.email, role })),
    remove: async (person) => void (await removeMember(await scope(), { email: person.email })),
    field: async (resource, input) => createField(await scope(), resource, input),
    updateField: async (resource, code, input) => updateField(await scope(), { entity_type: resource, code }, input),
  }
}

async function newPerson(runtime: Runtime): Promise<Person> {
  const name = `Person ${randomBytes(4).toString('hex')}`
  return createUser(runtime, { name, email: `${randomBytes(8).toString('hex')}@example.com` })
}
