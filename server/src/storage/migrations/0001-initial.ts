import { accounts } from './initial/accounts.ts'
import { keyMoves } from './initial/key-moves.ts'
import { oauth } from './initial/oauth.ts'
import { records } from './initial/records.ts'
import { search } from './initial/search.ts'
import { workspaces } from './initial/workspaces.ts'
import { writing } from './initial/writing.ts'
import type { Migration } from './words.ts'

/** The schema of the first release, one file per theme. */
export const initial: Migration = {
  name: '0001-initial',
  statements: (words) =>
    [accounts, workspaces, oauth, keyMoves, records, search, writing].flatMap((part) => part(words)),
}
