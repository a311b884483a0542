import { writeQueryString } from '@kith/contract/query-string'
import type { Resource, ResourceName } from '@kith/contract/resource'
import { type ApiCall, BEARER, clientStart, lines } from './list-calls.ts'
import { literal, quoted } from './literal.ts'

/** The calls that follow the changes of a list, as they happen. */
export function followCalls(api: string, resource: Resource, { filter }: { filter?: object }): ApiCall[] {
  const { followed, note } = followedPart(resource, filter)
  return [
    { id: 'follow', label: 'curl, follow changes', code: note('#') + curl(api, resource.type, followed) },
    {
      id: 'follow-client',
      label: 'TypeScript, follow changes',
      code: note('//') + client(api, resource.type, followed),
    },
  ]
}

/** The parts of a list's filter that the changes feed takes. */
export function followedPart(
  resource: Resource,
  filter: object | undefined,
): {
  followed: object | undefined
  /** A comment, where the filter is left out. `mark` begins comments. */
  note(mark: string): string
} {
  const followed = filter && isFollowable(resource, filter) ? filter : undefined
  const note = (mark: string) =>
    filter === followed
      ? ''
      : `${mark} Conditions on related records cannot be followed: this follows all ${resource.type}.\n`
  return { followed, note }
}

function curl(api: string, resource: ResourceName, filter: object | undefined): string {
  const query = writeQueryString({ cursor: 'now', ...(filter && { filter }) })
  return lines(`curl -N ${quoted(`${api}/v1/${resource}/changes/stream?${query}`)}`, BEARER)
}

function client(api: string, resource: ResourceName, filter: object | undefined): string {
  const query = { from: 'now', resources: [resource], ...(filter && { filter }) }
  return `${clientStart(api)}
for await (const { attributes } of kith.changes.follow(${literal(query)})) {
  console.log(attributes.kind, attributes.record_id, attributes.record)
}`
}

/** Operators on a relation as a whole. */
const WHOLE = ['$in', '$not_in', '$is_empty']

/** Whether the record alone decides the match, and not another record or the reader. */
function isFollowable(resource: Resource, filter: object): boolean {
  const { relations } = resource
  return Object.entries(filter).every(([name, test]) => {
    if (name === '$and' || name === '$or')
      return Array.isArray(test) && test.every((one) => isFollowable(resource, one))
    if (name === '$not') return isFollowable(resource, test)
    if (name === 'assigned_to_me') return false
    return !(name in relations) || Object.keys(test).every((key) => WHOLE.includes(key))
  })
}
