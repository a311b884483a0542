import type { ResourceName } from '@kith/contract/resource'
import { followedPart } from './follow-calls.ts'
import { ACCEPT, type ApiCall, BEARER, clientStart, JSON_BODY, lines } from './list-calls.ts'
import { literal } from './literal.ts'
import { quoted } from './quoted.ts'

/** To be replaced by the reader. */
const RECEIVER = 'https://example.com/kith'

/** The calls that create a webhook for the records of a list. */
export function webhookCalls(api: string, resource: ResourceName, { filter }: { filter?: object }): ApiCall[] {
  const { followed, note } = followedPart(resource, filter)
  const webhook = {
    url: RECEIVER,
    types: [`${resource}.*`],
    ...(followed && { filter: { [resource]: followed } }),
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
