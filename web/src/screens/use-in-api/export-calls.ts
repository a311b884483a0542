import { writeQueryString } from '@kith/contract/query-string'
import type { ResourceName } from '@kith/contract/resource'
import { type ApiCall, BEARER, clientStart, lines } from './list-calls.ts'
import { literal } from './literal.ts'
import { quoted } from './quoted.ts'

/** The calls that export the records of a list, in one response. */
export function exportCalls(api: string, resource: ResourceName, { filter }: { filter?: object }): ApiCall[] {
  return [
    { id: 'export', label: 'curl, export', code: curl(api, resource, filter) },
    { id: 'export-client', label: 'TypeScript, export', code: client(api, resource, filter) },
  ]
}

function curl(api: string, resource: ResourceName, filter: object | undefined): string {
  const query = writeQueryString({ format: 'csv', ...(filter && { filter }) })
  const address = quoted(`${api}/v1/${resource}/export?${query}`)
  return lines(`curl --compressed ${address}`, BEARER, `-o ${resource}.csv`)
}

function client(api: string, resource: ResourceName, filter: object | undefined): string {
  return `${clientStart(api)}
for await (const record of kith.${resource}.export(${filter ? literal({ filter }) : ''})) {
  console.log(record.id, record.attributes)
}`
}
