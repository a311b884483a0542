import { writeQueryString } from '@kith/contract/query-string'
import type { ResourceName } from '@kith/contract/resource'
import { literal } from './literal.ts'
import { quoted } from './quoted.ts'

/** One way to make a call, ready to be copied. */
export type ApiCall = { id: string; label: string; code: string }

/** What a list asks for, in the words of a `/query` body. */
type AskedList = {
  per_page?: number
  sort?: string
  filter?: object
  include?: string
  fields?: string | Record<string, string>
}

/** The calls that answer with the rows of a list. `api` is the part of the URL before `/v1`. */
export function listCalls(api: string, resource: ResourceName, asked: AskedList): ApiCall[] {
  return [
    { id: 'curl', label: 'curl', code: getCall(api, resource, asked) },
    { id: 'query', label: 'curl, query in a body', code: queryCall(api, resource, asked) },
    { id: 'body', label: 'Body for /query', code: JSON.stringify(asked, null, 2) },
    { id: 'client', label: 'TypeScript client', code: clientCode(api, resource, asked) },
  ]
}

function getCall(api: string, resource: ResourceName, asked: AskedList): string {
  const query = writeQueryString(asked)
  const address = `${api}/v1/${resource}${query === '' ? '' : `?${query}`}`
  return lines(`curl ${quoted(address)}`, BEARER, ACCEPT)
}

function queryCall(api: string, resource: ResourceName, asked: AskedList): string {
  const body = JSON.stringify(asked, null, 2)
  return lines(`curl ${quoted(`${api}/v1/${resource}/query`)}`, BEARER, ACCEPT, JSON_BODY, `-d ${quoted(body)}`)
}

/** Walks all pages, which is what an integration wants; the first of them are the rows on the screen. */
function clientCode(api: string, resource: ResourceName, asked: AskedList): string {
  const { per_page: _, sort, include, fields, ...others } = asked
  const query = {
    ...others,
    ...(sort !== undefined && { sort: sort.split(',') }),
    ...(include !== undefined && { include: include.split(',') }),
    ...(fields !== undefined && { fields: typeof fields === 'string' ? fields.split(',') : namesByType(fields) }),
  }
  const given = Object.keys(query).length === 0 ? '' : literal(query)
  return `${clientStart(api)}
for await (const record of kith.${resource}.all(${given})) {
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

export function lines(...parts: string[]): string {
  return parts.join(' \\\n  ')
}

function namesByType(fields: Record<string, string>): Record<string, string[]> {
  return Object.fromEntries(Object.entries(fields).map(([type, names]) => [type, names.split(',')]))
}
