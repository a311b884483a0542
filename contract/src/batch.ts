import { BATCH_MAX, MATCHES_MAX } from './limits.ts'
import { resourceNames } from './resource.ts'
import {
  component,
  flag,
  given,
  id,
  list,
  mapOf,
  maybe,
  named,
  object,
  or,
  orNull,
  type Shape,
  type Shown,
  sentSchema,
  type TypeOf,
  text,
  whole,
  word,
} from './shape.ts'

export const operationNames = ['create', 'update', 'upsert', 'delete'] as const
export type OperationName = (typeof operationNames)[number]

const LID = /^[A-Za-z0-9_-]{1,64}$/

export const LID_RULE = 'A lid has 1 to 64 of the characters A to Z, a to z, 0 to 9, _ and -.'

export function isLid(raw: unknown): raw is string {
  return typeof raw === 'string' && LID.test(raw)
}

const lid = given<string>({
  type: 'string',
  pattern: LID.source,
  description: 'Of a create or upsert: a name for the record. `{"lid": …}` is its ID in later operations.',
})

/** The record of an earlier operation. */
export const lidReference = { lid }

const op = word(operationNames)

/** An operation of a batch of one resource. `batch/parse-batch.ts` reads them: which keys it takes depends on `op`. */
export const operation = {
  op,
  lid: maybe(lid),
  id: maybe(
    given({
      anyOf: [{ type: 'string' }, named('Lid')],
      description: 'Of an update or delete: the ID of the record, or `{"lid": …}` of an earlier operation.',
    }),
  ),
  match: maybe(given(named('Match', 'Of an upsert: as in the single request.'))),
  if_match: orNull(
    text({ says: 'Like the header, with or without quotes: `*`, or an `updated_at` or `ETag` of the record.' }),
  ),
  if_none_match: orNull(text({ says: 'Of an upsert: `*` only creates.' })),
  data: maybe(
    given({
      type: 'object',
      additionalProperties: true,
      description: 'The body of the single request. A delete has none.',
    }),
  ),
} as const

/** An operation of a batch of any resources. */
export const anyOperation = { ...operation, resource: word(resourceNames) } as const

/** The body of a batch. */
export function newBatch(of: typeof operation | typeof anyOperation) {
  return {
    operations: list(given(sentSchema(of)), { minItems: 1, maxItems: BATCH_MAX }),
    atomic: or(false, flag('All operations or none. Unless sent, each is a write of its own.')),
    dry_run: or(false, flag('Checks everything and writes nothing.')),
    return: or(
      'minimal',
      word(['minimal', 'record'], '`record`: each result also has `data`, the record in the form of the changes feed.'),
    ),
  }
}

export const matches: Shape<readonly string[]> = list(id(), {
  minItems: 1,
  maxItems: MATCHES_MAX,
  says: `The records that hold the value, oldest first, at most ${MATCHES_MAX} of them.`,
})

/** The live record into which the sought one was merged. */
export const mergedInto = { id: id(), type: word(resourceNames) } as const

/** The result of one operation, as in the single request. */
export const batchResult = {
  index: whole({ says: 'The place of the operation in the request.' }),
  op,
  status: given<number>({
    type: 'integer',
    enum: [200, 201, 204, 404, 409, 412, 422],
    description: 'The status of the single request.',
  }),
  id: maybe(orNull(id(), 'Null for a record that a dry run would create.')),
  updated_at: maybe(
    orNull(
      text({
        format: 'date-time',
        says: 'Null for a deletion. Of a failed condition: when the record was last changed.',
      }),
    ),
  ),
  created: maybe(flag()),
  data: maybe(
    orNull(given<object>({ type: 'object', additionalProperties: true }), 'The record, if it was asked for.'),
  ),
  message: maybe(text({ says: 'What is wrong, if the operation failed.' })),
  errors: maybe(mapOf(list(text(), { minItems: 1 }), 'Every problem, by its path in `data`.')),
  matches: maybe(matches),
  merged_into: maybe(component('MergedInto', object(mergedInto))),
} as const

export type BatchResult = Shown<typeof batchResult>

const count = whole({ to: BATCH_MAX })

export const batchMeta = object({
  total: count,
  succeeded: count,
  failed: count,
  atomic: flag(),
  dry_run: flag(),
  truncated: maybe(
    list(word(['data']), {
      says: 'Only if the response became too large: later results do not show their records.',
    }),
  ),
})
export type BatchMeta = TypeOf<typeof batchMeta>
