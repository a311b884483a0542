import { blankRules, dateOrders, decimalMarks, importFormats, importModes } from './import/settings.ts'
import { JOB_NAME_MAX } from './limits.ts'
import { resourceCode } from './resource-code.ts'
import * as is from './shape.ts'

const jobStates = ['waiting', 'queued', 'running', 'done', 'failed', 'cancelled'] as const
export type JobState = (typeof jobStates)[number]

export const outcomes = ['created', 'updated', 'unchanged', 'failed'] as const
export type Outcome = (typeof outcomes)[number]

const mapping: is.Shape<Readonly<Record<string, string | null>>> = is.given({
  type: 'object',
  additionalProperties: { type: ['string', 'null'] },
  description:
    'Column → target: `name`, `company_id`, `company_id.domains` (by a unique field), `company_id.name` (by the name, without letter case, accents and legal form), `people_ids` (joined by `;`), `account_owner_id` (ID or e-mail address), `custom_fields.<code>`, `external_ids.<namespace>`; or null to leave the column out. Other columns are matched by their names.',
})

const PLAIN = /^[\t -~]$/

const delimiter = is.checked(
  is.text({
    maxLength: 1,
    says: 'Between the cells: a comma unless sent. A header without a comma is split at `;`, tab or `|`.',
  }).schema,
  (raw) => (typeof raw === 'string' && PLAIN.test(raw) && raw !== '"' && !/[\w']/.test(raw) ? raw : undefined),
  'must be one character, such as "," or ";" or a tab.',
  '',
)

/** How the cells of CSV are read. */
const cells = {
  blank: is.or(
    'keep',
    is.word(blankRules, 'What an empty cell does to a value that a record has: `keep` unless sent.'),
  ),
  dates: is.or(
    'iso',
    is.word(dateOrders, 'The order of day, month and year, separated by `-`, `/` or `.`: `iso` unless sent.'),
  ),
  decimal: is.or('.', is.word(decimalMarks, 'The decimal mark: a point unless sent.')),
} as const

/** An import as a caller creates it. `match` and `mapping` are read by its operation. */
export const newImport = {
  type: is.word(['import']),
  resource: resourceCode(),
  format: is.word(importFormats),
  mode: is.word(importModes),
  match: is.orNull(
    is.unread(is.text()),
    'For update and upsert: `id`, the code of a unique field, or `external_ids.<namespace>`.',
  ),
  mapping: is.orNull(mapping),
  ...cells,
  delimiter: is.orNull(delimiter),
  create_options: is.or(false, is.flag('Creates missing options of choices. For owners and admins.')),
  create_related: is.or(
    false,
    is.flag('Creates a record for each name that none has, where a column finds records by name (`company_id.name`).'),
  ),
  dry_run: is.or(false, is.flag('Checks everything and stores nothing.')),
  name: is.orNull(is.text({ maxLength: JOB_NAME_MAX })),
} as const

export type NewImport = is.Sent<typeof newImport>

const counts = {
  rows: is.whole(),
  done: is.whole(),
  created: is.whole(),
  updated: is.whole(),
  unchanged: is.whole(),
  failed: is.whole(),
}

/** Records that rows name by their name. */
const namedCounts = {
  linked: is.whole({ says: 'Links to records that exist, or that an earlier row creates.' }),
  created: is.whole({ says: 'Records that would be created.' }),
  open: is.whole({ says: 'Names that no record has, or several.' }),
}

export type NamedCounts = is.Shown<typeof namedCounts>

export const job = {
  type: is.word(['import', 'undo']),
  resource: resourceCode(),
  state: is.word(jobStates),
  dry_run: is.flag(),
  mode: is.orNull(is.word(importModes), 'Null for an undo.'),
  match: is.orNull(is.text()),
  mapping: is.orNull(mapping),
  name: is.orNull(is.text()),
  progress: is.object(counts),
  named: is.maybe(is.object(namedCounts, 'Of a dry run whose columns find records by name (`company_id.name`).')),
  message: is.orNull(is.text(), 'Why the job failed.'),
  created_at: is.time(),
  started_at: is.orNull(is.time()),
  finished_at: is.orNull(is.time()),
  undoable_until: is.orNull(is.time(), 'Null if there is nothing to undo.'),
  undo_of: is.orNull(is.id(), 'The import that the job undoes.'),
  creator_id: is.id(),
} as const

export type Job = is.Shown<typeof job>

export const jobComponents = {
  ImportCreate: is.sentSchema(newImport),
  ...is.noun('Job', 'jobs', { shown: job, also: ['Document', 'List'] }),
}
