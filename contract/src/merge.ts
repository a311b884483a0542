import { MERGE_MAX, RESTORE_DAYS } from './limits.ts'
import { resourceCode } from './resource-code.ts'
import * as is from './shape.ts'

/** Records that became one. */
export const merge = {
  resource: resourceCode(),
  winner_id: is.id('The record that the others became.'),
  loser_ids: is.list(is.id(), { minItems: 1, maxItems: MERGE_MAX - 1 }),
  merged_at: is.time(),
  merged_by: is.orNull(is.id(), 'The user. Null for the command line.'),
  undone_at: is.orNull(is.time()),
  undoable_until: is.time(),
} as const

export type Merge = is.Shown<typeof merge>

/** The body of a merge. `loser`: how a record of the resource is named; `changes`: the schema of its update. */
export function newMerge({ loser, changes }: { loser: is.Schema; changes: is.Schema }) {
  return {
    loser_ids: is.unread(
      is.list(is.given(loser), {
        minItems: 1,
        maxItems: MERGE_MAX - 1,
        says: 'The records that become part of the one in the path. They are deleted.',
      }),
    ),
    attributes: is.orNull(
      is.given(changes),
      'What the winner gets instead of what the merge would choose, as in an update.',
    ),
  }
}

/** A value that several records share. */
export const duplicate = {
  certainty: is.word(['certain', 'likely']),
  field: is.text({ says: 'The code of the field, or `name`.' }),
  value: is.given<string | number>({ type: ['string', 'number'], description: 'As the oldest record spells it.' }),
  count: is.whole({ from: 2, says: 'How many records have it.' }),
  record_ids: is.list(is.id(), {
    minItems: 2,
    maxItems: MERGE_MAX,
    says: 'The records, oldest first, as many as can be merged at once.',
  }),
} as const

export type Duplicate = is.Shown<typeof duplicate>

const name = is.text({ says: 'The name or title of the record. Its ID is that of this object.' })

/** A record that was found. */
const searchResult = {
  resource: resourceCode(),
  name,
  detail: is.orNull(is.text(), 'What distinguishes it: the address or number that matches, its company, a stage.'),
  created_at: is.time(),
} as const

export type SearchResult = is.Shown<typeof searchResult>

/** A deleted record that can be restored. */
export const trashed = {
  resource: resourceCode(),
  name,
  deleted_at: is.time(),
  deleted_by: is.orNull(is.id(), 'The user. Null if there is none.'),
  restorable_until: is.time(`${RESTORE_DAYS} days after the deletion.`),
  merged_into: is.orNull(is.id(), 'The record that it was merged into. To restore it undoes that merge.'),
} as const

export type Trashed = is.Shown<typeof trashed>

const ids = is.text().schema

export const mergeComponents = {
  ...is.noun('Merge', 'merges', { shown: merge, ids, also: ['List'] }),
  ...is.noun('SearchResult', 'search_results', { shown: searchResult, ids, also: ['List'] }),
  ...is.noun('Trashed', 'trash', { shown: trashed, ids, also: ['List'] }),
  ...is.noun('Duplicate', 'duplicates', { shown: duplicate, ids, also: ['List'] }),
}
