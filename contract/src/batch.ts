import { BATCH_MAX, MATCHES_MAX } from './limits.ts'
import { resourceCode } from './resource-code.ts'
import * as is from './shape.ts'

export const operationNames = ['create', 'update', 'upsert', 'delete'] as const
export type OperationName = (typeof operationNames)[number]

const LID = /^[A-Za-z0-9_-]{1,64}$/

export const LID_RULE = 'A lid has 1 to 64 of the characters A to Z, a to z, 0 to 9, _ and -.'

export function isLid(raw: unknown): raw is string {
  return typeof raw === 'string' && LID.test(raw)
}

const lid = is.given<string>({
  type: 'string',
  pattern: LID.source,
  description: 'Of a create or upsert: a name for the record. `{"lid": …}` is its ID in later operations.',
})

const op = is.word(operationNames)

/** `batch/parse-batch.ts` reads operations: which keys one takes depends on its `op`. */
const others = {
  lid: is.maybe(lid),
  id: is.maybe(
    is.given({
      anyOf: [{ type: 'string' }, is.named('Lid')],
      description:
        'Of an update or delete: the ID of the record, or `{"lid": …}` of an earlier operation. Required without `match`.',
    }),
  ),
  match: is.maybe(
    is.given(
      is.named('Match', 'Of an upsert: as in the single request. An update or delete takes it instead of an `id`.'),
    ),
  ),
  if_match: is.orNull(
    is.text({ says: 'Like the header, with or without quotes: `*`, or an `updated_at` or `ETag` of the record.' }),
  ),
  if_none_match: is.orNull(is.text({ says: 'Of an upsert: `*` only creates.' })),
  data: is.maybe(
    is.given({
      type: 'object',
      additionalProperties: true,
      description: 'The body of the single request. A delete has none.',
    }),
  ),
} as const

/** An operation of a batch of one resource. */
const operation = { op, ...others } as const

/** An operation of a batch of any resources. */
export const anyOperation = { op, resource: resourceCode(), ...others } as const

export function newBatch(of: typeof operation | typeof anyOperation) {
  return {
    operations: is.list(is.given(is.sentSchema(of)), { minItems: 1, maxItems: BATCH_MAX }),
    atomic: is.or(false, is.flag('All operations or none. Unless sent, each is a write of its own.')),
    dry_run: is.or(false, is.flag('Checks everything and writes nothing.')),
    return: is.or(
      'minimal',
      is.word(
        ['minimal', 'record'],
        '`record`: each result also has `data`, the record in the form of the changes feed.',
      ),
    ),
  }
}

export const matches: is.Shape<readonly string[]> = is.list(is.id(), {
  minItems: 1,
  maxItems: MATCHES_MAX,
  says: `The records that hold the value, oldest first, at most ${MATCHES_MAX} of them.`,
})

/** The live record into which the sought one was merged. */
export const mergedInto = { id: is.id(), type: resourceCode() } as const

/** The result of one operation, as in the single request. */
const batchResult = {
  index: is.whole({ says: 'The place of the operation in the request.' }),
  op,
  status: is.given<number>({
    type: 'integer',
    enum: [200, 201, 204, 404, 409, 412, 422],
    description: 'The status of the single request.',
  }),
  id: is.maybe(is.orNull(is.id(), 'Null for a record that a dry run would create.')),
  updated_at: is.maybe(
    is.orNull(
      is.text({
        format: 'date-time',
        says: 'Null for a deletion. Of a failed condition: when the record was last changed.',
      }),
    ),
  ),
  created: is.maybe(is.flag()),
  data: is.maybe(
    is.orNull(is.given<object>({ type: 'object', additionalProperties: true }), 'The record, if it was asked for.'),
  ),
  message: is.maybe(is.text({ says: 'What is wrong, if the operation failed.' })),
  errors: is.maybe(is.mapOf(is.list(is.text(), { minItems: 1 }), 'Every problem, by its path in `data`.')),
  matches: is.maybe(matches),
  merged_into: is.maybe(is.component('MergedInto', is.object(mergedInto))),
} as const

export type BatchResult = is.Shown<typeof batchResult>

const count = is.whole({ to: BATCH_MAX })

const batchMeta = is.object({
  total: count,
  succeeded: count,
  failed: count,
  atomic: is.flag(),
  dry_run: is.flag(),
  truncated: is.maybe(
    is.list(is.word(['data']), {
      says: 'Only if the response became too large: later results do not show their records.',
    }),
  ),
})
export type BatchMeta = is.TypeOf<typeof batchMeta>

export const batchComponents = {
  Lid: is.shownSchema({ lid }, { says: 'The record of an earlier operation of the batch.' }),
  Batch: is.sentSchema(newBatch(anyOperation)),
  ResourceBatch: is.sentSchema(newBatch(operation)),
  BatchResults: is.closed({
    data: { ...is.listSchema('BatchResult', BATCH_MAX), minItems: 1 },
    meta: batchMeta.schema,
  }),
  BatchResult: is.shownSchema(batchResult),
}
