import { type BuiltInName, type ResourceName, resourceNames } from '@kith/contract/resource'
import { Box, Building2, CircleCheck, type LucideIcon, StickyNote, Target, UsersRound } from 'lucide-react'
import { formatNumber } from './format/numbers.ts'

/** The icon and the words of a resource. */
type Appearance = {
  icon: LucideIcon
  one: string
  many: string
  /** The shape of its avatars, if records have them. */
  avatar?: 'company' | 'person'
  /** The text of an empty list. */
  purpose: string
}

export const appearances: Readonly<Record<BuiltInName, Appearance>> = {
  companies: {
    icon: Building2,
    one: 'company',
    many: 'Companies',
    avatar: 'company',
    purpose: 'The organisations you deal with. Create one here, or send them through the API.',
  },
  people: {
    icon: UsersRound,
    one: 'person',
    many: 'People',
    avatar: 'person',
    purpose: 'Your contacts, with the company they work for.',
  },
  opportunities: {
    icon: Target,
    one: 'opportunity',
    many: 'Opportunities',
    purpose: 'Deals in progress, with a stage, an amount and a date.',
  },
  tasks: { icon: CircleCheck, one: 'task', many: 'Tasks', purpose: 'What to do, who does it, and by when.' },
  notes: {
    icon: StickyNote,
    one: 'note',
    many: 'Notes',
    purpose: 'What was said and agreed, linked to the people it is about.',
  },
}

export function appearanceOf(resource: ResourceName): Appearance {
  return isResourceName(resource) ? appearances[resource] : { icon: Box, one: 'record', many: resource, purpose: '' }
}

/** The avatar of a record or user: none for resources without one. */
export function avatarOf(type: string): 'company' | 'person' | undefined {
  return isResourceName(type) ? appearances[type].avatar : 'person'
}

export function isResourceName(name: string): name is BuiltInName {
  return resourceNames.some((known) => known === name)
}

/** "3 companies", "1 company". */
export function counted(count: number, resource: ResourceName): string {
  const { one, many } = appearanceOf(resource)
  return `${formatNumber(count)} ${count === 1 ? one : many.toLowerCase()}`
}
