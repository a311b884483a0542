import { excerpt } from '../excerpt.ts'
import type { FieldType, Place } from '../field-type.ts'
import { parseHostName, withoutWww } from '../host.ts'
import { matchedList } from './matched-list.ts'
import { parseWebAddress } from './web-address.ts'

export const domain: FieldType = matchedList({
  name: 'domain',
  kind: 'Domains',
  alikeBy: 'value',
  example: { value: 'example.com' },
  searched: 'address',
  parseValue: parseDomain,
  matchKey: (host) => host,
})

function parseDomain(text: string, { field, path, report }: Place): string | undefined {
  const host = hostIn(text)
  if (host === undefined) {
    report(
      path,
      `The ${field.name} value ${excerpt(text)} must be a domain such as example.com, or the address of a website under it.`,
    )
  }
  return host
}

/** Only names: a link may contain an IP address or localhost, but those are not domains. */
function hostIn(text: string): string | undefined {
  const server = parseWebAddress(text)?.host
  const host = server === undefined || server.includes('_') ? undefined : parseHostName(server)
  return host === undefined ? undefined : withoutWww(host)
}
