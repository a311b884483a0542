import { blankRules, dateOrders, decimalMarks, importFormats, importModes } from '@kith/contract/import/settings'
import { jobStates, outcomes } from '@kith/contract/jobs'
import { JOB_NAME_MAX, PER_PAGE_MAX, WAIT_MAX } from '@kith/contract/limits'
import { resourceNames } from '@kith/contract/resource'
import { paged } from './list-schemas.ts'
import { sampleIds, sampleTime } from './sample-records.ts'
import { closed, mapped, orNull, ref, type Schema } from './schema.ts'

const whole = { type: 'integer', minimum: 0 }
const textOrNull = { type: ['string', 'null'] }
const resource = { type: 'string', enum: resourceNames }

const mapping: Schema = {
  type: ['object', 'null'],
  additionalProperties: { type: ['string', 'null'] },
  description:
    'Column → target: `name`, `company_id`, `company_id.domains` (by a unique field), `people_ids` (joined by `;`), `account_owner_id` (ID or e-mail address), `custom_fields.<code>`, `external_ids.<namespace>`; or null to leave the column out. Other columns are matched by their names.',
}

/** Imports and their undo. */
export function jobSchemas(): Record<string, Schema> {
  return {
    ImportCreate: closed(
      {
        type: { type: 'string', const: 'import' },
        resource,
        format: { type: 'string', enum: importFormats },
        mode: { type: 'string', enum: importModes },
        match: {
          ...textOrNull,
          description: 'For update and upsert: `id`, the code of a unique field, or `external_ids.<namespace>`.',
        },
        mapping,
        blank: oneOf(blankRules, 'What an empty cell does to a value that a record has: `keep` unless sent.'),
        dates: oneOf(dateOrders, 'The order of day, month and year, separated by `-`, `/` or `.`: `iso` unless sent.'),
        decimal: oneOf(decimalMarks, 'The decimal mark: a point unless sent.'),
        delimiter: {
          ...textOrNull,
          maxLength: 1,
          description: 'Between the cells: a comma unless sent. A header without a comma is split at `;`, tab or `|`.',
        },
        create_options: {
          type: ['boolean', 'null'],
          description: 'Creates missing options of choices. For owners and admins.',
        },
        dry_run: { type: ['boolean', 'null'], description: 'Checks everything and stores nothing.' },
        name: { ...textOrNull, maxLength: JOB_NAME_MAX },
      },
      { required: ['type', 'resource', 'format', 'mode'] },
    ),
    Job: closed({
      id: ref('Id'),
      type: { type: 'string', const: 'jobs' },
      attributes: closed({
        type: { type: 'string', enum: ['import', 'undo'] },
        resource,
        state: { type: 'string', enum: jobStates },
        dry_run: { type: 'boolean' },
        mode: { ...orNull({ type: 'string', enum: importModes }), description: 'Null for an undo.' },
        match: textOrNull,
        mapping,
        name: textOrNull,
        progress: closed({ rows: whole, done: whole, created: whole, updated: whole, unchanged: whole, failed: whole }),
        message: { ...textOrNull, description: 'Why the job failed.' },
        created_at: ref('Timestamp'),
        started_at: orNull(ref('Timestamp')),
        finished_at: orNull(ref('Timestamp')),
        undoable_until: { ...orNull(ref('Timestamp')), description: 'Null if there is nothing to undo.' },
        undo_of: { ...orNull(ref('Id')), description: 'The import that the job undoes.' },
        creator_id: ref('Id'),
      }),
    }),
    JobDocument: closed({ data: ref('Job') }),
    JobList: closed({ data: { type: 'array', items: ref('Job'), maxItems: PER_PAGE_MAX }, ...paged }),
  }
}

function oneOf(words: readonly string[], description: string): Schema {
  return { anyOf: [{ type: 'string', enum: words }, { type: 'null' }], description }
}

export const jobParameters: Record<string, Schema> = {
  JobId: {
    name: 'id',
    in: 'path',
    required: true,
    description: 'The ID of the job.',
    schema: { type: 'string' },
    example: sampleIds.opportunities,
  },
  JobWait: {
    name: 'wait',
    in: 'query',
    description: 'How many seconds the response may wait until the state or the progress changes.',
    schema: { type: 'integer', minimum: 0, maximum: WAIT_MAX, default: 0 },
  },
  ResultOutcome: {
    name: 'outcome',
    in: 'query',
    description: 'Only the rows with this outcome.',
    schema: { type: 'string', enum: outcomes },
  },
  ResultFormat: {
    name: 'format',
    in: 'query',
    description: '`csv`: the failed rows as they were, with a column `errors`, to fix and send again.',
    schema: { type: 'string', enum: ['ndjson', 'csv'], default: 'ndjson' },
  },
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

/** The bodies of the requests about jobs. */
export function jobBodies(): Record<string, Schema> {
  const examples = { examples: { ImportCreate: { $ref: '#/components/examples/ImportCreate' } } }
  const content = mapped(['application/json', 'application/vnd.api+json'], () => ({
    schema: ref('ImportCreate'),
    ...examples,
  }))
  return {
    ImportCreate: { required: true, content },
    ImportFile: {
      required: true,
      content: {
        'text/csv': { schema: { type: 'string' }, example: 'name,domains\nAcme,acme.com\n' },
        'application/x-ndjson': {
          schema: { type: 'string' },
          example: '{"name":"Acme","custom_fields":{"domains":["acme.com"]}}\n',
        },
      },
    },
  }
}
