import type { FieldDefinition } from '../field-definition.ts'
import type { FieldType } from '../field-type.ts'
import { parseHostName, withoutWww } from '../host.ts'
import type { Report } from '../issue.ts'
import { matchedList } from './matched-list.ts'
import { parseWebAddress } from './web-address.ts'

export const domain: FieldType = matchedList({
  name: 'domain',
  parseValue: parseDomain,
  matchKey: (host) => host,
})

function parseDomain(text: string, field: FieldDefinition, path: string, report: Report): string | undefined {
  const server = parseWebAddress(text)?.host
  // Only names: an IP address or localhost can be linked to, but is nobody's domain.
  const host = server === undefined || server.includes('_') ? undefined : parseHostName(server)
  if (host === undefined) {
    report(path, `The ${field.name} must be a domain such as example.com, or the address of a website under it.`)
    return undefined
  }
  return withoutWww(host)
}
