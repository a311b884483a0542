import { feedResources, storedKinds } from '@kith/contract/changes/change-kind'
import { blankRules, dateOrders, decimalMarks, importFormats, importModes } from '@kith/contract/import/settings'
import { jobStates, outcomes } from '@kith/contract/jobs'
import { CHANGES_LIMIT_MAX, JOB_NAME_MAX, WAIT_MAX } from '@kith/contract/limits'
import { resourceNames } from '@kith/contract/resource'
import { documentOf, pageOf } from './record-schemas.ts'
import { sampleIds, sampleTime } from './sample-records.ts'
import { closed, constant, enumOf, inPath, inQuery, is, objectOf, orNull, ref, type Schema, says } from './schema.ts'

const resource = enumOf(resourceNames)

const mapping: Schema = {
  type: ['object', 'null'],
  additionalProperties: is.textOrNull,
  description:
    'Column → target: `name`, `company_id`, `company_id.domains` (by a unique field), `people_ids` (joined by `;`), `account_owner_id` (ID or e-mail address), `custom_fields.<code>`, `external_ids.<namespace>`; or null to leave the column out. Other columns are matched by their names.',
}

/** Imports and their undo. */
export function jobSchemas(): Record<string, Schema> {
  return {
    ImportCreate: closed(
      {
        type: constant('import'),
        resource,
        format: enumOf(importFormats),
        mode: enumOf(importModes),
        match: says(
          is.textOrNull,
          'For update and upsert: `id`, the code of a unique field, or `external_ids.<namespace>`.',
        ),
        mapping,
        blank: oneOf(blankRules, 'What an empty cell does to a value that a record has: `keep` unless sent.'),
        dates: oneOf(dateOrders, 'The order of day, month and year, separated by `-`, `/` or `.`: `iso` unless sent.'),
        decimal: oneOf(decimalMarks, 'The decimal mark: a point unless sent.'),
        delimiter: {
          ...is.textOrNull,
          maxLength: 1,
          description: 'Between the cells: a comma unless sent. A header without a comma is split at `;`, tab or `|`.',
        },
        create_options: says(is.flagOrNull, 'Creates missing options of choices. For owners and admins.'),
        dry_run: says(is.flagOrNull, 'Checks everything and stores nothing.'),
        name: { ...is.textOrNull, maxLength: JOB_NAME_MAX },
      },
      { required: ['type', 'resource', 'format', 'mode'] },
    ),
    Job: objectOf('jobs', {
      type: enumOf(['import', 'undo']),
      resource,
      state: enumOf(jobStates),
      dry_run: is.flag,
      mode: says(orNull(enumOf(importModes)), 'Null for an undo.'),
      match: is.textOrNull,
      mapping,
      name: is.textOrNull,
      progress: closed({
        rows: is.whole,
        done: is.whole,
        created: is.whole,
        updated: is.whole,
        unchanged: is.whole,
        failed: is.whole,
      }),
      message: says(is.textOrNull, 'Why the job failed.'),
      created_at: ref('Timestamp'),
      started_at: orNull(ref('Timestamp')),
      finished_at: orNull(ref('Timestamp')),
      undoable_until: says(orNull(ref('Timestamp')), 'Null if there is nothing to undo.'),
      undo_of: says(orNull(ref('Id')), 'The import that the job undoes.'),
      creator_id: ref('Id'),
    }),
    JobDocument: documentOf('Job'),
    JobList: pageOf('Job'),
  }
}

function oneOf(words: readonly string[], description: string): Schema {
  return { ...orNull(enumOf(words)), description }
}

export const jobParameters: Record<string, Schema> = {
  JobId: inPath('id', 'The ID of the job.', { example: sampleIds.opportunities }),
  JobWait: inQuery('wait', 'How many seconds the response may wait until the state or the progress changes.', {
    schema: { type: 'integer', minimum: 0, maximum: WAIT_MAX, default: 0 },
  }),
  ResultOutcome: inQuery('outcome', 'Only the rows with this outcome.', { schema: enumOf(outcomes) }),
  ResultFormat: inQuery(
    'format',
    '`csv`: the failed rows as they were, with a column `errors`, to fix and send again.',
    { schema: { type: 'string', enum: ['ndjson', 'csv'], default: 'ndjson' } },
  ),
}

export const sampleJob = {
  id: sampleIds.opportunities,
  type: 'jobs',
  attributes: {
    type: 'import',
    resource: 'companies',
    state: 'running',
    dry_run: false,
    mode: 'upsert',
    match: 'domains',
    mapping: { Website: 'custom_fields.domains' },
    name: 'Customers from the old system',
    progress: { rows: 12_345, done: 4000, created: 3890, updated: 85, unchanged: 20, failed: 5 },
    message: null,
    created_at: sampleTime,
    started_at: sampleTime,
    finished_at: null,
    undoable_until: null,
    undo_of: null,
    creator_id: sampleIds.users,
  },
}

export const sampleImport = {
  type: 'import',
  resource: 'companies',
  format: 'csv',
  mode: 'upsert',
  match: 'domains',
  mapping: { Website: 'custom_fields.domains', 'Internal note': null },
}

/** The changes feed. */
export function changeSchemas(): Record<string, Schema> {
  return {
    Change: closed({ id: ref('Id'), type: constant('changes'), attributes: ref('ChangeAttributes') }),
    ChangeAttributes: closed(changeAttributes(), { required: requiredOfChanges }),
    ChangeOrigin: closed({
      source: enumOf(['web', 'api', 'mcp', 'import', 'cli', 'sample']),
      actor_id: orNull(ref('Id')),
      token_id: orNull(is.text),
      own: says(is.flag, 'Whether the token of the request made the change.'),
    }),
    SyncForm: closed(
      {
        id: ref('Id'),
        type: enumOf(feedResources),
        attributes: { type: 'object', description: 'As the record shows them, with `external_ids`.' },
        relationships: {
          type: 'object',
          additionalProperties: closed({ data: { type: 'array', items: closed({ id: ref('Id'), type: is.text }) } }),
          description: 'The links of tasks and notes. Members who have left are still in it.',
        },
      },
      { required: ['id', 'type', 'attributes'] },
    ),
    ChangeList: closed({
      data: { type: 'array', items: ref('Change'), maxItems: CHANGES_LIMIT_MAX },
      meta: closed({
        next_cursor: is.text,
        has_more: says(is.flag, 'False if everything has been read.'),
        phase: enumOf(['snapshot', 'live']),
        head: says(is.whole, 'The highest sequence of the workspace.'),
      }),
    }),
    GoneError: closed({
      message: is.text,
      reason: enumOf(['expired', 'restored']),
      oldest_at: orNull(ref('Timestamp')),
      resync: { type: 'string', format: 'uri', description: 'Where to begin again.' },
    }),
  }
}

/** The attributes that every entry has. */
export const requiredOfChanges = [
  'sequence',
  'kind',
  'resource',
  'record_id',
  'at',
  'changed',
  'merged_into',
  'external_ids',
  'origin',
]

/** The attributes of an entry. */
export function changeAttributes(): Record<string, Schema> {
  return {
    sequence: says(
      orNull({ type: 'integer', minimum: 1 }),
      'The number of the change, without gaps. Null in a snapshot.',
    ),
    kind: enumOf([...storedKinds, 'snapshot', 'left']),
    resource: enumOf(feedResources),
    record_id: ref('Id'),
    at: says(ref('Timestamp'), 'The `updated_at` of the record after the change.'),
    changed: { type: 'array', items: is.text, description: 'What an update changed, sorted.' },
    merged_into: says(orNull(ref('Id')), 'The record that it was merged into.'),
    external_ids: { type: 'object', additionalProperties: { type: 'array', items: is.text } },
    origin: orNull(ref('ChangeOrigin')),
    record: says(
      orNull(ref('SyncForm')),
      'The record as it is now. Null if it is gone or no longer matches. Missing in a thin entry.',
    ),
  }
}
