import { writeQueryString } from '@kith/contract/query-string'
import type { Resource, ResourceName } from '@kith/contract/resource'
import type { ListQuery } from '../records/list-query.ts'
import { PAGE_SIZE } from '../records/record-window.ts'
import { followCalls, followedPart } from './follow-calls.ts'
import { ACCEPT, type ApiCall, BEARER, clientOf, clientStart, JSON_BODY, lines, listCalls } from './list-calls.ts'
import { literal, quoted } from './literal.ts'

/** Every call that has to do with a list: reads it, exports it, follows its changes. */
export function callsOfList(api: string, resource: Resource, asked: ListQuery): ApiCall[] {
  return [
    ...listCalls(api, resource.type, { per_page: PAGE_SIZE, ...asked }),
    ...exportCalls(api, resource.type, asked),
    ...followCalls(api, resource, asked),
    ...webhookCalls(api, resource, asked),
  ]
}

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
for await (const record of ${clientOf(resource)}.export(${filter ? literal({ filter }) : ''})) {
  console.log(record.id, record.attributes)
}`
}

/** To be replaced by the reader. */
const RECEIVER = 'https://example.com/kith'

/** The calls that create a webhook for the records of a list. */
export function webhookCalls(api: string, resource: Resource, { filter }: { filter?: object }): ApiCall[] {
  const { followed, note } = followedPart(resource, filter)
  const webhook = {
    url: RECEIVER,
    types: [`${resource.type}.*`],
    ...(followed && { filter: { [resource.type]: followed } }),
  }
  const body = quoted(JSON.stringify(webhook, null, 2))
  const curl = lines(`curl ${quoted(`${api}/v1/webhooks`)}`, BEARER, ACCEPT, JSON_BODY, `-d ${body}`)
  const client = `${clientStart(api)}
const { data } = await kith.webhooks.create(${literal(webhook)})
console.log(data.id, data.attributes.secret)`
  return [
    { id: 'webhook', label: 'curl, webhook', code: note('#') + curl },
    { id: 'webhook-client', label: 'TypeScript, webhook', code: note('//') + client },
  ]
}
