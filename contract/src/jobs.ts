import { blankRules, dateOrders, decimalMarks, importFormats, importModes } from './import/settings.ts'
import { JOB_NAME_MAX } from './limits.ts'
import { resourceNames } from './resource.ts'
import {
  flag,
  given,
  id,
  object,
  or,
  orNull,
  type Sent,
  type Shape,
  type Shown,
  text,
  time,
  whole,
  word,
} from './shape.ts'

export const jobStates = ['waiting', 'queued', 'running', 'done', 'failed', 'cancelled'] as const
export type JobState = (typeof jobStates)[number]

/** The outcomes of a row. */
export const outcomes = ['created', 'updated', 'unchanged', 'failed'] as const
export type Outcome = (typeof outcomes)[number]

const mapping: Shape<Readonly<Record<string, string | null>>> = given({
  type: 'object',
  additionalProperties: { type: ['string', 'null'] },
  description:
    'Column → target: `name`, `company_id`, `company_id.domains` (by a unique field), `people_ids` (joined by `;`), `account_owner_id` (ID or e-mail address), `custom_fields.<code>`, `external_ids.<namespace>`; or null to leave the column out. Other columns are matched by their names.',
})

const PLAIN = /^[\t -~]$/

const delimiter: Shape<string> = {
  ...text({
    maxLength: 1,
    says: 'Between the cells: a comma unless sent. A header without a comma is split at `;`, tab or `|`.',
  }),
  parse: (raw, path, report) => {
    if (typeof raw === 'string' && PLAIN.test(raw) && raw !== '"' && !/[\w']/.test(raw)) return raw
    report(path, `The ${path} must be one character, such as "," or ";" or a tab.`)
    return undefined
  },
}

/** How the cells of CSV are read. */
const cells = {
  blank: or('keep', word(blankRules, 'What an empty cell does to a value that a record has: `keep` unless sent.')),
  dates: or(
    'iso',
    word(dateOrders, 'The order of day, month and year, separated by `-`, `/` or `.`: `iso` unless sent.'),
  ),
  decimal: or('.', word(decimalMarks, 'The decimal mark: a point unless sent.')),
} as const

/** An import as a caller creates it. `match` and `mapping` are read by its operation. */
export const newImport = {
  type: word(['import']),
  resource: word(resourceNames),
  format: word(importFormats),
  mode: word(importModes),
  match: orNull(
    given<string>(text().schema),
    'For update and upsert: `id`, the code of a unique field, or `external_ids.<namespace>`.',
  ),
  mapping: orNull(mapping),
  ...cells,
  delimiter: orNull(delimiter),
  create_options: or(false, flag('Creates missing options of choices. For owners and admins.')),
  dry_run: or(false, flag('Checks everything and stores nothing.')),
  name: orNull(text({ maxLength: JOB_NAME_MAX })),
} as const

export type NewImport = Sent<typeof newImport>

const counts = { rows: whole(), done: whole(), created: whole(), updated: whole(), unchanged: whole(), failed: whole() }

/** A job as it is shown. */
export const job = {
  type: word(['import', 'undo']),
  resource: word(resourceNames),
  state: word(jobStates),
  dry_run: flag(),
  mode: orNull(word(importModes), 'Null for an undo.'),
  match: orNull(text()),
  mapping: orNull(mapping),
  name: orNull(text()),
  progress: object(counts),
  message: orNull(text(), 'Why the job failed.'),
  created_at: time(),
  started_at: orNull(time()),
  finished_at: orNull(time()),
  undoable_until: orNull(time(), 'Null if there is nothing to undo.'),
  undo_of: orNull(id(), 'The import that the job undoes.'),
  creator_id: id(),
} as const

export type Job = Shown<typeof job>
