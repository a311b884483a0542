import { accounts } from './schema/accounts.ts'
import { changes } from './schema/changes.ts'
import { jobs } from './schema/jobs.ts'
import { oauth } from './schema/oauth.ts'
import { keyMoves, records } from './schema/records.ts'
import { search } from './schema/search.ts'
import { webhooks } from './schema/webhooks.ts'
import { memberVersions, workspaces } from './schema/workspaces.ts'
import { writing } from './schema/writing.ts'
import type { Migration } from './words.ts'

const parts = [accounts, workspaces, oauth, keyMoves, records, memberVersions, search, changes, writing, jobs, webhooks]

/** The schema of the first release, one file per theme. */
export const schema: Migration = {
  name: '0001-schema',
  statements: (words) => parts.flatMap((part) => part(words)),
}
