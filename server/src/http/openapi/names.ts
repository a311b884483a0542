import { registry } from '@kith/contract/registry'
import type { RelatedType, Resource } from '@kith/contract/resource'

/** The schema of one record: `Company`. */
export function oneOf(type: RelatedType): string {
  return capital(type === 'users' ? 'user' : registry[type].one)
}

/** `Companies`, for tags and operation ids. */
export function manyOf({ type }: Resource): string {
  return capital(type)
}

/** "a company", "an opportunity". */
export function anyOne({ one }: Resource): string {
  return `${/^[aeiou]/.test(one) ? 'an' : 'a'} ${one}`
}

export function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}

/** "name, title or created_at", each as code. */
export function listed(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(', ')
}
