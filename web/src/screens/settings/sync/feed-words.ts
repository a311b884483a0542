import type { Schema } from '@kith/contract/resource'
import { type LucideIcon, Shapes, TextCursorInput, UsersRound } from 'lucide-react'
import { appearanceIn } from '../../../resources.ts'

/** The icon of something that changes, its name as a heading, and its words in a sentence. */
type FeedWords = { icon: LucideIcon; name: string; many: string; one: string }

const others: Readonly<Record<string, FeedWords>> = {
  schemas: { icon: Shapes, name: 'Resources', many: 'resources', one: 'resource' },
  custom_fields: { icon: TextCursorInput, name: 'Custom fields', many: 'custom fields', one: 'field' },
  users: { icon: UsersRound, name: 'Members', many: 'members', one: 'member' },
}

/** The values of the `resource` parameter of the feed, those with records first. */
export function feedResources(schema: Schema): string[] {
  return [...schema.keys(), ...Object.keys(others)]
}

export function feedWords(schema: Schema, resource: string): FeedWords {
  return others[resource] ?? appearanceIn(schema, resource)
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
