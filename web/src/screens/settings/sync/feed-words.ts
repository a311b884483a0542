import { resourceNames } from '@kith/contract/resource'
import { type LucideIcon, TextCursorInput, UsersRound } from 'lucide-react'
import { appearances, isResourceName } from '../../../resources.ts'

/** What the feed tells about, as its `resource` parameter names it. */
export const feedResources: readonly string[] = [...resourceNames, 'custom_fields', 'users']

type Words = { icon: LucideIcon; one: string; many: string }

const others: Readonly<Record<string, Words>> = {
  custom_fields: { icon: TextCursorInput, one: 'field', many: 'Custom fields' },
  users: { icon: UsersRound, one: 'member', many: 'Members' },
}

export function feedWords(resource: string): Words {
  if (isResourceName(resource)) return appearances[resource]
  return others[resource] ?? { icon: TextCursorInput, one: resource, many: resource }
}

/** The colour of a kind: only what is gone is highlighted. */
export const kindTints: Readonly<Record<string, string>> = {
  created: 'green',
  updated: 'blue',
  restored: 'green',
  deleted: 'red',
  merged: 'purple',
  left: 'amber',
}
