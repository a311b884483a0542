import { createStore } from '../store.ts'

/** The task whose status the user of this tab has changed last, once it is stored. Each change has another key. */
export const changedTask = createStore<{ slug: string; id: string; key: string } | undefined>(undefined)
