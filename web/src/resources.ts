import { asWord } from '@kith/contract/registry'
import type { BuiltInName, Resource, ResourceName, Schema } from '@kith/contract/resource'
import { Box, Building2, CircleCheck, type LucideIcon, StickyNote, Target, UsersRound } from 'lucide-react'
import { useSchema } from './api/schema.ts'
import { iconNamed } from './chosen-icons.ts'
import { formatNumber } from './format/numbers.ts'

/** The icon and the words of a resource. */
export type Appearance = {
  icon: LucideIcon
  /** The name of a tint. */
  color: string | null
  /** As headings: "Projects" and "Project". */
  name: string
  singular: string
  /** In a sentence: "projects" and "project". */
  many: string
  one: string
  /** The text of an empty list. */
  purpose: string
}

/** The icons and texts of the resources that every workspace has, until it chooses others. */
const usual: Readonly<Record<BuiltInName, Pick<Appearance, 'icon' | 'purpose'>>> = {
  companies: {
    icon: Building2,
    purpose: 'The organisations you deal with. Create one here, or send them through the API.',
  },
  people: { icon: UsersRound, purpose: 'Your contacts, and where they work.' },
  opportunities: { icon: Target, purpose: 'Deals in progress, with a stage, an amount and a date.' },
  tasks: { icon: CircleCheck, purpose: 'What to do, who does it, and by when.' },
  notes: { icon: StickyNote, purpose: 'What was said and agreed, and whom it is about.' },
}

const others = { icon: Box, purpose: 'Create the first one here, import a file, or send them through the API.' }

export function appearanceOf({ type, row }: Pick<Resource, 'type' | 'row'>): Appearance {
  const { icon, purpose } = Object.hasOwn(usual, type) ? usual[type as BuiltInName] : others
  const { name, singular, color, description } = row
  return {
    icon: iconNamed(row.icon) ?? icon,
    color,
    name,
    singular,
    many: asWord(name),
    one: asWord(singular),
    purpose: description ?? purpose,
  }
}

/** The appearance of a resource that may be archived, or deleted for good: then it has its code alone. */
export function appearanceIn(schema: Schema, name: ResourceName): Appearance {
  const resource = schema.get(name) ?? schema.archived.get(name)
  if (resource) return appearanceOf(resource)
  return { ...others, color: null, name, singular: 'Record', many: name, one: 'record' }
}

export function useAppearance(name: ResourceName): Appearance {
  return appearanceIn(useSchema(), name)
}

/** The shape of the avatar of a record or user: none for resources without one. */
export function avatarOf(type: string): 'company' | 'person' | undefined {
  if (type === 'companies') return 'company'
  return type === 'people' || type === 'users' ? 'person' : undefined
}

/** "3 companies", "1 company". */
export function counted(count: number, { one, many }: Pick<Appearance, 'one' | 'many'>): string {
  return `${formatNumber(count)} ${count === 1 ? one : many}`
}

/** "a project", "an opportunity". */
export function withArticle(one: string): string {
  return `${/^[aeiou]/i.test(one) ? 'an' : 'a'} ${one}`
}
