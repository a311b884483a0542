import { writeQueryString } from '@kith/contract/query-string'
import type { ResourceName } from '@kith/contract/resource'
import { literal, quoted } from './literal.ts'

/** One way to make a call, ready to be copied. */
export type ApiCall = { id: string; label: string; code: string }

/** The `/query` body of a list. */
type ListRequest = {
  per_page?: number
  sort?: string
  filter?: object
  include?: string
  fields?: string | Record<string, string>
}

/** The calls that answer with the rows of a list. `api` is the part of the URL before `/v1`. */
export function listCalls(api: string, resource: ResourceName, asked: ListRequest): ApiCall[] {
  return [
    { id: 'curl', label: 'curl', code: getCall(api, resource, asked) },
    { id: 'query', label: 'curl, query in a body', code: queryCall(api, resource, asked) },
    { id: 'body', label: 'Body for /query', code: JSON.stringify(asked, null, 2) },
    { id: 'client', label: 'TypeScript client', code: clientCode(api, resource, asked) },
  ]
}

function getCall(api: string, resource: ResourceName, asked: ListRequest): string {
  const query = writeQueryString(asked)
  const address = `${api}/v1/${resource}${query === '' ? '' : `?${query}`}`
  return lines(`curl ${quoted(address)}`, BEARER, ACCEPT)
}

function queryCall(api: string, resource: ResourceName, asked: ListRequest): string {
  const body = JSON.stringify(asked, null, 2)
  return lines(`curl ${quoted(`${api}/v1/${resource}/query`)}`, BEARER, ACCEPT, JSON_BODY, `-d ${quoted(body)}`)
}

/** Reads all pages, as integrations do; the first one has the rows on the screen. */
function clientCode(api: string, resource: ResourceName, asked: ListRequest): string {
  const { per_page: _, sort, include, fields, ...others } = asked
  const query = {
    ...others,
    ...(sort !== undefined && { sort: sort.split(',') }),
    ...(include !== undefined && { include: include.split(',') }),
    ...(fields !== undefined && { fields: typeof fields === 'string' ? fields.split(',') : namesByType(fields) }),
  }
  const given = Object.keys(query).length === 0 ? '' : literal(query)
  return `${clientStart(api)}
for await (const record of ${clientOf(resource)}.all(${given})) {
  console.log(record.id, record.attributes)
}`
}

export const BEARER = '-H "Authorization: Bearer $KITH_TOKEN"'

export const ACCEPT = "-H 'Accept: application/json'"

export const JSON_BODY = "-H 'Content-Type: application/json'"

export function clientStart(api: string): string {
  return `import { createClient } from '@kith/sdk'

const kith = createClient({ url: ${literal(api)}, token: process.env.KITH_TOKEN ?? '' })
`
}

/** The client of a resource, in TypeScript. */
export function clientOf(resource: ResourceName): string {
  return `kith.resource(${literal(resource)})`
}

export function lines(...parts: string[]): string {
  return parts.join(' \\\n  ')
}

function namesByType(fields: Record<string, string>): Record<string, string[]> {
  return Object.fromEntries(Object.entries(fields).map(([type, names]) => [type, names.split(',')]))
}

/** A record on a page: the attributes that can be sent back, and the includes. */
type RecordRequest = { id: string; attributes: Record<string, unknown>; include?: string }

/** The calls that read and change one record. */
export function recordCalls(api: string, resource: ResourceName, asked: RecordRequest): ApiCall[] {
  const address = `${api}/v1/${resource}/${asked.id}`
  const query = asked.include ? `?include=${asked.include}` : ''
  const body = JSON.stringify(asked.attributes, null, 2)
  return [
    { id: 'read', label: 'Read', code: lines(`curl ${quoted(address + query)}`, BEARER, ACCEPT) },
    {
      id: 'update',
      label: 'Update',
      code: lines(`curl -X PATCH ${quoted(address)}`, BEARER, ACCEPT, JSON_BODY, `-d ${quoted(body)}`),
    },
    { id: 'client', label: 'TypeScript client', code: recordProgram(api, resource, asked) },
  ]
}

function recordProgram(api: string, resource: ResourceName, { id, attributes, include }: RecordRequest): string {
  const given = include ? `, ${literal({ include: include.split(',') })}` : ''
  return `${clientStart(api)}
const { data } = await ${clientOf(resource)}.read(${literal(id)}${given})
console.log(data.attributes)

await ${clientOf(resource)}.update(${literal(id)}, ${literal(attributes)})`
}
