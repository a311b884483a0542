import { parseRecordInput } from '@kith/contract/record-input'
import { type Resource, type ResourceName, resourceIn } from '@kith/contract/resource'
import { expect } from 'vitest'
import { storeWrites } from '../src/records/store.ts'
import { newRecord } from '../src/records/write-set.ts'
import { inTransaction } from '../src/scope/scope.ts'
import type { Answered, Api } from './api.ts'
import { declared, type EveryName, everyResource } from './own-resource.ts'
import { testedResources } from './run-length.ts'
import type { TestWorkspace } from './workspace.ts'

export type Body = Readonly<Record<string, unknown>>
/** The body of a record, and the moment at which it is made. */
export type Stocked = Body & { at?: string }

const FIRST_MOMENT = Date.parse('2026-01-01T00:00:00.000Z')

/** Each resource under its name, for `describe.each` and `it.each`. */
export const eachResource: readonly [EveryName, Resource][] = everyResource.map((type) => [type, declared(type)])

/** The resources that represent all where they do not differ. */
export const eachTested: readonly [EveryName, Resource][] = testedResources.map((type) => [type, declared(type)])

/** Makes records in one transaction, each a second after the one before unless told otherwise, and tells their ids. */
export async function stock(
  workspace: TestWorkspace,
  type: ResourceName,
  bodies: readonly Stocked[],
): Promise<string[]> {
  const scope = await workspace.scope()
  const resource = resourceIn(scope.schema, type)
  return inTransaction(scope, async (inside) => {
    const ids: string[] = []
    for (const [index, { at, ...body }] of bodies.entries()) {
      const input = parseRecordInput(body, { resource, creating: true }, (path, message) => {
        throw new Error(`${path}: ${message}`)
      })
      const now = () => new Date(at ?? FIRST_MOMENT + index * 1000)
      const record = newRecord({ ...inside, now }, input)
      await storeWrites({ ...inside, now }, resource, [record])
      ids.push(record.id)
    }
    return ids
  })
}

/** So many bodies with numbered names or titles. */
export function numberedBodies(type: ResourceName, count: number, more: Stocked = {}): Stocked[] {
  const { label, one } = declared(type)
  return Array.from({ length: count }, (_, index) => ({ [label]: `${one} ${index + 1}`, ...more }))
}

export function idsOf({ body }: Answered): string[] {
  return body.data.map((record: { id: string }) => record.id)
}

/** Asks for an address that an answer gave. */
export function follow(api: Api, url: string): Promise<Answered> {
  expect(url.slice(0, api.base.length)).toBe(api.base)
  return api.get(url.slice(api.base.length))
}

/** The ids of every page from this one on, by `links.next`. */
export async function pagesFrom(api: Api, path: string): Promise<string[][]> {
  const pages: string[][] = []
  let answer = await api.get(path)
  while (true) {
    expect(answer.status, answer.text).toBe(200)
    pages.push(idsOf(answer))
    if (answer.body.links.next === null) return pages
    answer = await follow(api, answer.body.links.next)
  }
}

/** Sends a request that must be refused, and tells the problems by their path. */
export async function errorsOf(answering: Promise<Answered>): Promise<Record<string, string[]>> {
  const { status, body, text } = await answering
  expect(status, text).toBe(422)
  return body.errors
}
