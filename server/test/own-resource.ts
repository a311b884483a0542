import { schemaOf } from '@kith/contract/registry'
import { OWN_FROM, type Resource, type ResourceName, resourceIn, resourceNames } from '@kith/contract/resource'
import { expect } from 'vitest'
import type { Answered } from './api.ts'
import { newWorkspace, type TestWorkspace } from './workspace.ts'

const projects = { name: 'Projects', singular: 'Project' }

const at = '2026-01-01T00:00:00.000Z'
const codes = { code: 'projects', singular_code: 'project' }
const looks = { description: null, icon: null, color: null, position: 1, archived_at: null, since: null }

/** The resources of a workspace that has made projects. */
const schema = schemaOf([{ number: OWN_FROM, ...codes, ...projects, ...looks, created_at: at, updated_at: at }], [])

/** The built-in resources and one that the test makes: what works for one works for all. */
export const everyResource = [...resourceNames, 'projects'] as const
export type EveryName = (typeof everyResource)[number]

/** The declaration of one of them. */
export function declared(type: ResourceName): Resource {
  return resourceIn(schema, type)
}

/** A workspace that has all of them. */
export async function workspaceWithOwn(): Promise<TestWorkspace> {
  const workspace = await newWorkspace()
  await madeResource(workspace, projects)
  return workspace
}

/** Makes a resource, and returns its schema as it was answered. */
export async function madeResource(
  { api }: Pick<TestWorkspace, 'api'>,
  input: { name: string; singular: string } & Record<string, unknown>,
): Promise<Answered['body']> {
  const answer = await api.post('/schema', input)
  expect(answer.status, answer.text).toBe(201)
  return answer.body.data
}
