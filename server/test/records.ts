import { generalSchema } from '@kith/contract/registry'
import type { ResourceName } from '@kith/contract/resource'
import { expect } from 'vitest'
import type { Answered, Api } from './api.ts'

/** An id as good as any, which no record has. */
export const NOWHERE = '01kacm7krp9mcrqeke4h6bxpg9'

/** Makes a record and returns it as it was answered. It is called "One" unless told otherwise. */
export async function made(api: Api, type: ResourceName, rest: object = {}): Promise<Answered['body']> {
  const answer = await api.post(`/${type}`, { [generalSchema.get(type)?.label ?? 'name']: 'One', ...rest })
  expect(answer.status, answer.text).toBe(201)
  return answer.body.data
}

/** Makes some records of a resource and tells their ids. */
export async function madeIds(api: Api, type: ResourceName, count: number): Promise<string[]> {
  const ids: string[] = []
  for (let index = 0; index < count; index++) ids.push((await made(api, type)).id)
  return ids
}

/** Deletes a record. */
export async function gone(api: Api, type: ResourceName, id: string): Promise<void> {
  expect((await api.delete(`/${type}/${id}`)).status).toBe(204)
}

/** The problems for which a write is refused, by path. The message is the first of them and counts the others. */
export async function problemsOf(answering: Promise<Answered>): Promise<Record<string, string[]>> {
  const { status, body, text } = await answering
  expect(status, text).toBe(422)
  expect(Object.keys(body)).toEqual(['message', 'errors'])
  const all = Object.values<string[]>(body.errors).flat()
  const more = all.length - 1
  const rest = more === 0 ? '' : ` (and ${more} more error${more === 1 ? '' : 's'})`
  expect(body.message).toBe(`${all[0]}${rest}`)
  return body.errors
}
