import { resourceNames } from '@kith/contract/resource'
import { type LucideIcon, TextCursorInput, UsersRound } from 'lucide-react'
import { appearances, isResourceName } from '../../../resources.ts'

/** The values of the `resource` parameter of the feed. */
export const feedResources: readonly string[] = [...resourceNames, 'custom_fields', 'users']

type ResourceWords = { icon: LucideIcon; one: string; many: string }

const others: Readonly<Record<string, ResourceWords>> = {
  custom_fields: { icon: TextCursorInput, one: 'field', many: 'Custom fields' },
  users: { icon: UsersRound, one: 'member', many: 'Members' },
}

export function feedWords(resource: string): ResourceWords {
  if (isResourceName(resource)) return appearances[resource]
  return others[resource] ?? { icon: TextCursorInput, one: resource, many: resource }
}

/** The colour of a kind: only removals are highlighted. */
export const kindTints: Readonly<Record<string, string>> = {
  created: 'green',
  updated: 'blue',
  restored: 'green',
  deleted: 'red',
  merged: 'purple',
  left: 'amber',
}
