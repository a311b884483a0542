import { companies } from './resources/companies.ts'
import { notes } from './resources/notes.ts'
import { opportunities } from './resources/opportunities.ts'
import { people } from './resources/people.ts'
import { tasks } from './resources/tasks.ts'

/** The resources that every workspace has. The client loads them without the code of field types, which is large. */
export const builtIn = { companies, people, opportunities, tasks, notes } as const

/** The literal types from which the client derives its own. */
export type Registry = typeof builtIn
