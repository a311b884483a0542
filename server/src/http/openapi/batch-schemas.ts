import { BATCH_MAX } from '@kith/contract/limits'
import { resourceNames } from '@kith/contract/resource'
import { operationNames } from '../../batch/operation.ts'
import { matches } from './error-schemas.ts'
import { closed, constant, enumOf, is, orNull, ref, type Schema, says } from './schema.ts'

const op = enumOf(operationNames)
const resource = enumOf(resourceNames)
const lid: Schema = {
  type: 'string',
  pattern: '^[A-Za-z0-9_-]{1,64}$',
  description: 'Of a create or upsert: a name for the record. `{"lid": …}` is its ID in later operations.',
}

const parts: Record<string, Schema> = {
  op,
  lid,
  id: {
    anyOf: [is.text, ref('Lid')],
    description: 'Of an update or delete: the ID of the record, or `{"lid": …}` of an earlier operation.',
  },
  match: says(ref('Match'), 'Of an upsert: as in the single request.'),
  if_match: says(
    is.textOrNull,
    'Like the header, with or without quotes: `*`, or an `updated_at` or `ETag` of the record.',
  ),
  if_none_match: says(is.textOrNull, 'Of an upsert: `*` only creates.'),
  data: {
    type: 'object',
    additionalProperties: true,
    description: 'The body of the single request. A delete has none.',
  },
}

/** The bodies and results of batches. */
export function batchSchemas(): Record<string, Schema> {
  return {
    Lid: closed({ lid }, { description: 'The record of an earlier operation of the batch.' }),
    Batch: batchOf({ op, resource, ...parts }, ['op', 'resource']),
    ResourceBatch: batchOf(parts, ['op']),
    BatchResults: closed({
      data: { type: 'array', items: ref('BatchResult'), minItems: 1, maxItems: BATCH_MAX },
      meta: closed(
        {
          ...{ total: count, succeeded: count, failed: count },
          ...{ atomic: is.flag, dry_run: is.flag },
          truncated: {
            type: 'array',
            items: constant('data'),
            description: 'Only if the response became too large: later results do not show their records.',
          },
        },
        { required: ['total', 'succeeded', 'failed', 'atomic', 'dry_run'] },
      ),
    }),
    BatchResult: result,
  }
}

const count: Schema = { type: 'integer', minimum: 0, maximum: BATCH_MAX }

function batchOf(properties: Record<string, Schema>, required: readonly string[]): Schema {
  return closed(
    {
      operations: { type: 'array', items: closed(properties, { required }), minItems: 1, maxItems: BATCH_MAX },
      atomic: says(is.flagOrNull, 'All operations or none. Unless sent, each is a write of its own.'),
      dry_run: says(is.flagOrNull, 'Checks everything and writes nothing.'),
      return: {
        type: ['string', 'null'],
        enum: ['minimal', 'record', null],
        description: '`record`: each result also has `data`, the record in the form of the changes feed.',
      },
    },
    { required: ['operations'] },
  )
}

const result: Schema = closed(
  {
    index: says(is.whole, 'The place of the operation in the request.'),
    op,
    status: {
      type: 'integer',
      enum: [200, 201, 204, 404, 409, 412, 422],
      description: 'The status of the single request.',
    },
    id: says(orNull(ref('Id')), 'Null for a record that a dry run would create.'),
    updated_at: {
      type: ['string', 'null'],
      format: 'date-time',
      description: 'Null for a deletion. Of a failed condition: when the record was last changed.',
    },
    created: is.flag,
    data: { type: ['object', 'null'], additionalProperties: true, description: 'The record, if it was asked for.' },
    message: says(is.text, 'What is wrong, if the operation failed.'),
    errors: {
      type: 'object',
      additionalProperties: { type: 'array', items: is.text, minItems: 1 },
      description: 'Every problem, by its path in `data`.',
    },
    matches: { ...matches, minItems: 1 },
    merged_into: ref('MergedInto'),
  },
  { required: ['index', 'op', 'status'] },
)
