import type { Resource, ResourceName } from './resource.ts'
import { companies } from './resources/companies.ts'
import { notes } from './resources/notes.ts'
import { opportunities } from './resources/opportunities.ts'
import { people } from './resources/people.ts'
import { tasks } from './resources/tasks.ts'

export const registry: Readonly<Record<ResourceName, Resource>> = { companies, people, opportunities, tasks, notes }

export const resources: readonly Resource[] = Object.values(registry)
