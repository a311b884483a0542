import type { Reason } from '../notifications.ts'

/** What the link in a mail ends: mails for some reasons. `workspace` is its name; null for a former member. */
export type Unsubscription = { workspace: string | null; reasons: readonly Reason[] }
