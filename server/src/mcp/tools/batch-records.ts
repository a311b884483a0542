import { TOOL_BATCH_MAX } from '@kith/contract/limits'
import { operationNames } from '../../batch/operation.ts'
import { abilitiesOf, readBatch } from '../../batch/parse-batch.ts'
import { parseOperations } from '../../batch/parse-operations.ts'
import { runChunk } from '../../batch/run-chunk.ts'
import { requireAbilities } from '../../records/allow.ts'
import { overwrites } from '../annotations.ts'
import { anyObject, flag, keySchema, listOf, object, resourceSchema, text } from '../schema.ts'
import type { Tool } from '../tool.ts'

const operation = object(
  {
    op: { type: 'string', enum: operationNames, description: 'What to do.' },
    resource: resourceSchema,
    lid: text('Of create and upsert: a name of your own. Later operations name the record with {"lid": …}.'),
    id: {
      type: ['string', 'object'],
      description: 'Of update and delete: the ID of the record, or {"lid": …} of an earlier operation.',
    },
    match: anyObject('Of upsert: {"field", "value"}, as in upsert_record.'),
    if_match: text('Only if the record was last changed at this updated_at.'),
    if_none_match: text('Of upsert: * only creates.'),
    data: anyObject('What create, update and upsert write: the attributes of create_record.'),
  },
  ['lid', 'id', 'match', 'if_match', 'if_none_match', 'data'],
)

export const batchRecordsTool: Tool = {
  name: 'batch_records',
  title: 'Write many records',
  description:
    `Carries out up to ${TOOL_BATCH_MAX} creates, updates, upserts and deletes in their order; later ones see what ` +
    'earlier ones did. Each succeeds or fails for itself, and the results say which. Try it with dry_run first when ' +
    'many records change: that checks everything and writes nothing.',
  annotations: overwrites,
  abilities: [],
  anyOf: ['create', 'update', 'delete'],
  takesOperations: true,
  input: object(
    {
      operations: { ...listOf(operation, 'What to do, in this order.'), minItems: 1, maxItems: TOOL_BATCH_MAX },
      atomic: flag('All or none: if one fails, nothing is written.'),
      dry_run: flag('Checks everything and writes nothing.'),
      return: { type: 'string', enum: ['minimal', 'record'], description: 'record: results also show the records.' },
      idempotency_key: keySchema('does nothing again and has the same results'),
    },
    ['atomic', 'dry_run', 'return', 'idempotency_key'],
  ),
  output: object({
    data: listOf(
      anyObject('index, op, status, and id, updated_at and created, or message and errors.'),
      'One result for each operation, in their order.',
    ),
    meta: anyObject('total, succeeded, failed, atomic, dry_run.'),
  }),
  async run(scope, { idempotency_key, ...input }) {
    const readable = readBatch(input, { resource: null, most: TOOL_BATCH_MAX })
    requireAbilities(scope, abilitiesOf(readable))
    const batch = parseOperations(readable, { namesResource: true })
    const keyed = typeof idempotency_key === 'string' ? { key: idempotency_key, input } : undefined
    return JSON.parse(await runChunk(scope, batch, keyed))
  },
}
