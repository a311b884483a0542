import type { Migration } from './migration.ts'
import { accounts, memberVersions, oauth, workspaces } from './schema/accounts.ts'
import { changes, writing } from './schema/changes.ts'
import { follows, notifications, tasks } from './schema/notifications.ts'
import { comments, files, keyMoves, records, search } from './schema/records.ts'
import { jobs, webhooks } from './schema/webhooks.ts'

const parts = [
  ...[accounts, workspaces, oauth, keyMoves, records, files, comments, memberVersions, search],
  ...[changes, writing, jobs, webhooks, follows, notifications, tasks],
]

/**
 * The schema of the first release, one file per theme. Until then, a change that databases of a checkout do not have
 * gives it another name, so that they are refused and not used.
 */
export const schema: Migration = {
  name: '0001-first-release',
  statements: (dialect) => parts.flatMap((part) => part(dialect)),
}
