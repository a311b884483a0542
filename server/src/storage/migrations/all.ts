import { schema } from './0001-schema.ts'
import type { Migration } from './words.ts'

/** In the order in which they run. Forward only: a released migration never changes. */
export const migrations: readonly Migration[] = [schema]
