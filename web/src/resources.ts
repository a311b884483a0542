import { type ResourceName, resourceNames } from '@kith/contract/resource'
import { Building2, CircleCheck, type LucideIcon, StickyNote, Target, UsersRound } from 'lucide-react'

type Appearance = { icon: LucideIcon; one: string; many: string }

/** How each resource looks and is called, everywhere the same. */
export const appearances: Readonly<Record<ResourceName, Appearance>> = {
  companies: { icon: Building2, one: 'company', many: 'Companies' },
  people: { icon: UsersRound, one: 'person', many: 'People' },
  opportunities: { icon: Target, one: 'opportunity', many: 'Opportunities' },
  tasks: { icon: CircleCheck, one: 'task', many: 'Tasks' },
  notes: { icon: StickyNote, one: 'note', many: 'Notes' },
}

export function isResourceName(name: string): name is ResourceName {
  return resourceNames.some((known) => known === name)
}

/** "3 companies", "1 company". */
export function counted(count: number, resource: ResourceName): string {
  const { one, many } = appearances[resource]
  return `${new Intl.NumberFormat().format(count)} ${count === 1 ? one : many.toLowerCase()}`
}
