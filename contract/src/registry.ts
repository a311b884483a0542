import type { Resource, ResourceName } from './resource.ts'
import { companies } from './resources/companies.ts'
import { notes } from './resources/notes.ts'
import { opportunities } from './resources/opportunities.ts'
import { people } from './resources/people.ts'
import { tasks } from './resources/tasks.ts'

const all = { companies, people, opportunities, tasks, notes } as const

/** All resources, with the literal types from which the client derives its own. */
export type Registry = typeof all

export const registry: Readonly<Record<ResourceName, Resource>> = all
