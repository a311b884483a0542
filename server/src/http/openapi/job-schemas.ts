import { blankRules, dateOrders, decimalMarks, importFormats, importModes } from '@kith/contract/import/settings'
import { jobStates, outcomes } from '@kith/contract/jobs'
import { JOB_NAME_MAX, WAIT_MAX } from '@kith/contract/limits'
import { resourceNames } from '@kith/contract/resource'
import { documentOf, pageOf } from './list-schemas.ts'
import { inPath, inQuery } from './parameter.ts'
import { sampleIds, sampleTime } from './sample-records.ts'
import { closed, constant, enumOf, is, objectOf, orNull, ref, type Schema, says } from './schema.ts'

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
