import { MERGE_MAX, RESTORE_DAYS } from './limits.ts'
import { resourceNames } from './resource.ts'
import { given, id, list, orNull, type Schema, type Shown, text, time, whole, word } from './shape.ts'

/** Records that became one. */
export const merge = {
  resource: word(resourceNames),
  winner_id: id('The record that the others became.'),
  loser_ids: list(id(), { minItems: 1, maxItems: MERGE_MAX - 1 }),
  merged_at: time(),
  merged_by: orNull(id(), 'The user. Null for the command line.'),
  undone_at: orNull(time()),
  undoable_until: time(),
} as const

export type Merge = Shown<typeof merge>

/** The body of a merge. `loser`: how a record of the resource is named; `changes`: the schema of its update. */
export function newMerge({ loser, changes }: { loser: Schema; changes: Schema }) {
  return {
    loser_ids: given<readonly unknown[]>({
      ...list(given(loser)).schema,
      minItems: 1,
      maxItems: MERGE_MAX - 1,
      description: 'The records that become part of the one in the path. They are deleted.',
    }),
    attributes: orNull(given(changes), 'What the winner gets instead of what the merge would choose, as in an update.'),
  }
}

/** A value that several records share. */
export const duplicate = {
  certainty: word(['certain', 'likely']),
  field: text({ says: 'The code of the field, or `name`.' }),
  value: given<string | number>({ type: ['string', 'number'], description: 'As the oldest record spells it.' }),
  count: whole({ from: 2, says: 'How many records have it.' }),
  record_ids: list(id(), {
    minItems: 2,
    maxItems: MERGE_MAX,
    says: 'The records, oldest first, as many as can be merged at once.',
  }),
} as const

export type Duplicate = Shown<typeof duplicate>

const name = text({ says: 'The name or title of the record. Its ID is that of this object.' })

/** A record that was found. */
export const searchResult = {
  resource: word(resourceNames),
  name,
  detail: orNull(text(), 'What distinguishes it: the address or number that matches, its company, a stage.'),
  created_at: time(),
} as const

export type SearchResult = Shown<typeof searchResult>

/** A deleted record that can be restored. */
export const trashed = {
  resource: word(resourceNames),
  name,
  deleted_at: time(),
  deleted_by: orNull(id(), 'The user. Null if there is none.'),
  restorable_until: time(`${RESTORE_DAYS} days after the deletion.`),
  merged_into: orNull(id(), 'The record that it was merged into. To restore it undoes that merge.'),
} as const

export type Trashed = Shown<typeof trashed>
