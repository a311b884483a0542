import { given, type Shape, withMore } from './shape.ts'

/** The form of the code of a resource. */
export const RESOURCE_CODE = '^[a-z][a-z0-9_]{1,39}$'

const LENGTH_MAX = 40

export function isResourceCode(text: string): boolean {
  return new RegExp(RESOURCE_CODE).test(text)
}

/** The code of a resource of the workspace. Where it is sent, the operation looks for the resource. */
export function resourceCode(says?: string): Shape<string> {
  return given(withMore({ type: 'string', pattern: RESOURCE_CODE }, { says }), 'companies')
}

/** The code that a name makes. It may be no valid one: then the caller is asked for one. */
export function codeOfName(name: string): string {
  const plain = name.normalize('NFKD').replaceAll(/\p{M}/gu, '').replaceAll('ß', 'ss').toLowerCase()
  const trimmed = plain.replaceAll(/[^a-z0-9]+/g, '_').replaceAll(/^_|_$/g, '')
  return trimmed.slice(0, LENGTH_MAX).replace(/_$/, '')
}

/** `sales_orders` → `salesOrders`: how relations, counts and filters are named. */
export function camelCase(code: string): string {
  return code.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
}

/** The name of a list of links in the sync form, which has codes as they are. */
export function syncName({ relation, to }: { relation: string; to: string }): string {
  return relation === camelCase(to) ? to : relation
}

/** First segments of paths below `/v1`, besides the resources. */
const paths = [
  'batch',
  'changes',
  'comments',
  'files',
  'jobs',
  'merges',
  'notifications',
  'schema',
  'search',
  'token',
  'trash',
  'user',
  'users',
  'webhooks',
]

/** Words that later versions may need. */
const kept = `activities attachments automations calendars calls contacts deals emails events fields forms
  imports leads lists mails meetings members messages objects records relations reports roles schemas
  sequences teams templates triggers views workflows workspaces order assignee external`.split(/\s+/)

/** Names that no own resource can have as its code, in lowerCamelCase. `taken`: the names of built-in resources. */
export function isReserved(code: string, taken: ReadonlySet<string>): boolean {
  if (/_id$|_ids$|_count$|_$|__/.test(code)) return true
  return [...paths, ...kept].includes(code) || taken.has(camelCase(code))
}
