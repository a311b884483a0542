import { registry } from '@kith/contract/registry'
import type { ResourceName } from '@kith/contract/resource'
import { expect } from 'vitest'
import { createRecord } from '../src/records/write.ts'
import type { Scope } from '../src/scope/scope.ts'
import type { Source } from '../src/storage/engines/engine.ts'
import type { Answered, Api } from './api.ts'
import { isLong } from './run-length.ts'

/** Both notations are parsed to the same conditions before the database is asked, so PostgreSQL gets one of them. */
const bothNotations = isLong || process.env.TEST_ENGINE !== 'postgres'

/** The names or titles that a filter finds, in their order. It is asked in both notations, which must agree. */
export async function found(api: Api, resource: ResourceName, filter: object): Promise<string[]> {
  const listed = await foundInBody(api, resource, filter)
  if (bothNotations) expect(await foundInAddress(api, resource, inAddress(filter))).toEqual(listed)
  return listed
}

export async function foundInAddress(api: Api, resource: ResourceName, query: string): Promise<string[]> {
  const order = `sort=${registry[resource].label}&per_page=100`
  return labels(await api.get(`/${resource}?${order}&${query}`), resource)
}

export async function foundInBody(api: Api, resource: ResourceName, filter: unknown): Promise<string[]> {
  const body = { sort: registry[resource].label, per_page: 100, filter }
  return labels(await api.post(`/${resource}/query`, body), resource)
}

function labels(answered: Answered, resource: ResourceName): string[] {
  expect(answered).toMatchObject({ status: 200 })
  const { data, meta } = answered.body
  expect(meta.total).toBe(data.length)
  return data.map((record: { attributes: Record<string, string> }) => record.attributes[registry[resource].label])
}

/**
 * The problems for which a filter is refused, by path. It is asked in both notations, which must agree on the paths.
 */
export async function refused(api: Api, resource: ResourceName, filter: object): Promise<Record<string, string[]>> {
  const errors = await refusedInBody(api, resource, filter)
  if (bothNotations)
    expect(Object.keys(await refusedInAddress(api, resource, inAddress(filter)))).toEqual(Object.keys(errors))
  return errors
}

export async function refusedInAddress(api: Api, resource: ResourceName, query: string) {
  return errors(await api.get(`/${resource}?${query}`))
}

export async function refusedInBody(api: Api, resource: ResourceName, filter: unknown) {
  return errors(await api.post(`/${resource}/query`, { filter }))
}

function errors(answered: Answered): Record<string, string[]> {
  expect(answered).toMatchObject({ status: 422 })
  const { message, errors } = answered.body
  const all: string[] = Object.values<string[]>(errors).flat()
  const more = all.length === 1 ? '' : ` (and ${all.length - 1} more error${all.length === 2 ? '' : 's'})`
  expect(all.map((one) => one + more)).toContain(message)
  return errors
}

/** A filter in the notation of the query string. Lists are sent through `[]`, lists of conditions with numbers. */
export function inAddress(filter: object): string {
  return parameters('filter', filter).join('&')
}

function parameters(name: string, value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [`${name}=${encodeURIComponent(String(value))}`]
  return Object.entries(value).flatMap(([key, item]) => {
    const plain = Array.isArray(value) && typeof item !== 'object'
    return parameters(`${name}[${plain ? '' : encodeURIComponent(key)}]`, item)
  })
}

export type Circumstances = { at?: string; source?: Source; user?: string }

/** Makes a record at a moment, with a source, or as another member: callers of the service cannot choose these. */
export async function recordOf(
  scope: Scope,
  resource: ResourceName,
  body: { [key: string]: unknown; label: string },
  { at, source = 'api', user = scope.actor.user_id }: Circumstances = {},
): Promise<string> {
  const now = at === undefined ? scope.now : () => new Date(at)
  const acting = { ...scope, now, actor: { ...scope.actor, source, user_id: user } }
  const { label, ...rest } = body
  const sent = { body: { [registry[resource].label]: label, ...rest }, asked: { raw: {}, loose: false, issues: [] } }
  const { data } = await createRecord(acting, registry[resource], sent)
  return data()[0]?.id ?? ''
}
