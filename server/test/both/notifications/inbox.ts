import { expect } from 'vitest'
import type { Api } from '../../api.ts'
import type { Person, TestWorkspace } from '../../workspace.ts'

export type Told = {
  id: string
  attributes: {
    reason: string
    resource: string
    record_id: string
    actor_id: string | null
    text: string
    read_at: string | null
    created_at: string
  }
}

/** The inbox of a member, latest first. */
export async function inboxOf(api: Api, query = ''): Promise<Told[]> {
  const { status, body, text } = await api.get(`/notifications?per_page=100${query}`)
  expect(status, text).toBe(200)
  return body.data
}

export async function textsOf(api: Api): Promise<string[]> {
  return (await inboxOf(api)).map(({ attributes }) => attributes.text)
}

/** A member with a token of theirs. */
export async function memberOf(
  workspace: TestWorkspace,
  role: 'admin' | 'member' | 'viewer' = 'member',
): Promise<Person & { api: Api }> {
  const person = await workspace.member(role)
  return { ...person, api: await workspace.token({ user: person }) }
}
