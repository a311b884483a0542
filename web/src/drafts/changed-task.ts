import type { Toast } from '../components/toast-store.ts'
import { createStore } from '../store.ts'

export type ChangedTask = { slug: string; id: string; key: string; toast: Toast }

/** The task whose status the user of this tab has changed last, once it is stored. Each change has another key. */
export const changedTask = createStore<ChangedTask | undefined>(undefined)
