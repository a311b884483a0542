import type { ResourceName } from '@kith/contract/resource'
import { ACCEPT, type ApiCall, BEARER, clientStart, JSON_BODY, lines } from './list-calls.ts'
import { literal } from './literal.ts'
import { quoted } from './quoted.ts'

/** What a page shows of a record: the attributes that can be sent back, and what comes along. */
type AskedRecord = { id: string; attributes: Record<string, unknown>; include?: string }

/** The calls that read and change one record. */
export function recordCalls(api: string, resource: ResourceName, asked: AskedRecord): ApiCall[] {
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
    { id: 'client', label: 'TypeScript client', code: clientCode(api, resource, asked) },
  ]
}

function clientCode(api: string, resource: ResourceName, { id, attributes, include }: AskedRecord): string {
  const given = include ? `, ${literal({ include: include.split(',') })}` : ''
  return `${clientStart(api)}
const { data } = await kith.${resource}.read(${literal(id)}${given})
console.log(data.attributes)

await kith.${resource}.update(${literal(id)}, ${literal(attributes)})`
}
