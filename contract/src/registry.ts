import type { Resource, ResourceName } from './resource.ts'
import { companies } from './resources/companies.ts'
import { notes } from './resources/notes.ts'
import { opportunities } from './resources/opportunities.ts'
import { people } from './resources/people.ts'
import { tasks } from './resources/tasks.ts'

/** All resources, with the literal types from which the client derives its own. */
export const declared = { companies, people, opportunities, tasks, notes } as const

export const registry: Readonly<Record<ResourceName, Resource>> = declared

export const resources: readonly Resource[] = Object.values(registry)
