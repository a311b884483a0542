import { feedResources } from '@kith/contract/changes/change-kind'
import { type ResourceName, resourceNames } from '@kith/contract/resource'
import type { FieldTypes, Filter } from '@kith/sdk'
import { defineCommand } from './command.ts'
import { BadUsage } from './failure.ts'
import { filterIn } from './filter-in.ts'
import { type Followed, followFeed, type Receive } from './follow-feed.ts'
import { forwardTo, listenSecret } from './forward.ts'
import { clientFor, overHttp, remoteOptions, tokenFor } from './remote.ts'

export const listen = defineCommand({
  about: 'Print changes as lines of JSON until Ctrl-C, or send them as signed webhooks to a local address.',
  options: {
    resource: { value: 'R', about: `Only these, joined by commas: ${feedResources.join(', ')}.` },
    filter: {
      value: 'JSON',
      about: 'Only records that meet this filter, written as in a query. Needs one --resource.',
    },
    cursor: { value: 'C', about: 'Begin at this cursor of the changes feed. Default: now.' },
    since: { value: 'T', about: 'Begin at this time, such as 2026-11-17T09:00:00Z.' },
    forward: { value: 'ADDRESS', about: 'Send each change there, such as http://localhost:4000/hook.' },
    'print-secret': { about: 'Print the secret that signs what --forward sends, and end. It depends on the token.' },
    ...remoteOptions,
  },
  async run(values, context) {
    const { cursor, since } = values
    if (cursor !== undefined && since !== undefined) throw new BadUsage('Send --cursor or --since, not both.')
    const parts = partsOf(values.resource, values.filter)
    const address = values.forward === undefined ? undefined : forwardAddress(values.forward)
    const secret = listenSecret(tokenFor(values, context))
    if (values['print-secret']) return { text: secret, json: { secret } }
    const signal = context.ending()
    const print: Receive = (entry) => context.write(`${JSON.stringify(entry)}\n`)
    await overHttp(async () => {
      // The loop below retries for as long as it takes.
      const client = await clientFor(values, context, { signal, retries: 0 })
      if (address !== undefined) await context.write(`${secret}\n`)
      const receive = address === undefined ? print : forwardTo(address, { secret, context, signal })
      const place = since === undefined ? { cursor: cursor ?? 'now' } : { since }
      await followFeed(client, { place, parts, receive, signal, isForward: address !== undefined }, context)
    })
    return undefined
  },
})

function partsOf(resource: string | undefined, filter: string | undefined): Followed['parts'] {
  const resources = resource?.split(',').map((name) => feedResource(name.trim()))
  if (filter === undefined) return resources === undefined ? {} : { resources }
  const [only, ...others] = resources ?? []
  const one = others.length > 0 ? undefined : resourceNames.find((name) => name === only)
  if (one === undefined) throw new BadUsage(`--filter needs --resource with one of ${resourceNames.join(', ')}.`)
  // The service checks the conditions.
  return { resource: one, filter: filterIn(filter) as Filter<FieldTypes, ResourceName> }
}

function feedResource(text: string) {
  const found = feedResources.find((name) => name === text)
  if (found === undefined) throw new BadUsage(`--resource must be of ${feedResources.join(', ')}, not ${text}.`)
  return found
}

function forwardAddress(text: string): string {
  const url = URL.parse(text)
  if (url && ['http:', 'https:'].includes(url.protocol) && url.username === '' && url.password === '') return url.href
  throw new BadUsage(`--forward must be an address such as http://localhost:4000/hook, not ${text}.`)
}
