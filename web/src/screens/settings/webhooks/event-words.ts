import { feedResources, storedKinds } from '@kith/contract/changes/change-kind'
import { feedWords } from '../sync/feed-words.ts'

export const ALL_EVENTS = '*'

/** What happens to definitions and members. Records know every kind. */
const kindsOfOthers: Readonly<Record<string, readonly string[]>> = {
  custom_fields: ['created', 'updated', 'deleted', 'restored'],
  users: ['created', 'updated', 'deleted'],
}

/** The kinds of changes that a resource can have. */
export function kindsOf(resource: string): readonly string[] {
  return kindsOfOthers[resource] ?? storedKinds
}

/** The kinds of a resource that are sent. */
export function chosenKinds(types: readonly string[], resource: string): readonly string[] {
  if (types.includes(ALL_EVENTS) || types.includes(`${resource}.*`)) return kindsOf(resource)
  return kindsOf(resource).filter((kind) => types.includes(`${resource}.${kind}`))
}

/** The types with other kinds for one resource. All kinds are written as `<resource>.*`. */
export function withKinds(types: readonly string[], resource: string, kinds: readonly string[]): string[] {
  const others = types.filter((type) => !type.startsWith(`${resource}.`))
  const isAll = kindsOf(resource).every((kind) => kinds.includes(kind))
  return [...others, ...(isAll ? [`${resource}.*`] : kinds.map((kind) => `${resource}.${kind}`))]
}

/** What is sent, in words: "Companies created or updated; all changes of people". */
export function typesInWords(types: readonly string[]): string {
  const parts = feedResources.toSorted(recordsFirst).map((resource) => ({
    many: feedWords(resource).many.toLowerCase(),
    kinds: chosenKinds(types, resource),
    isAll: chosenKinds(types, resource).length === kindsOf(resource).length,
  }))
  if (parts.every(({ isAll }) => isAll)) return 'Everything'
  const whole = parts.filter(({ isAll }) => isAll).map(({ many }) => many)
  const some = parts
    .filter(({ isAll, kinds }) => !isAll && kinds.length > 0)
    .map(({ many, kinds }) => `${many} ${listed(kinds, 'or')}`)
  const said = [...(whole.length === 0 ? [] : [`all changes of ${listed(whole, 'and')}`]), ...some].join('; ')
  return said === '' ? 'Nothing' : said[0]?.toUpperCase() + said.slice(1)
}

/** Fields and members come last. */
function recordsFirst(a: string, b: string): number {
  return Number(a in kindsOfOthers) - Number(b in kindsOfOthers)
}

function listed(words: readonly string[], joint: 'and' | 'or'): string {
  if (words.length < 2) return words.join('')
  return `${words.slice(0, -1).join(', ')} ${joint} ${words.at(-1)}`
}
