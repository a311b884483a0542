import { TOOL_BATCH_MAX } from '@kith/contract/limits'
import { operationNames } from '../../batch/operation.ts'
import { abilitiesOf, parseOperations, readBatch } from '../../batch/parse-batch.ts'
import { runChunk } from '../../batch/run-batch.ts'
import { requireAbilities } from '../../records/allow.ts'
import { anyObject, flag, keySchema, listOf, object, resourceSchema, text } from '../schema.ts'
import { overwrites, type Tool } from '../tool.ts'

const operation = object(
  { op: { type: 'string', enum: operationNames }, resource: resourceSchema },
  {
    lid: text('A name of your own for a new record; later operations name it with {"lid": …}.'),
    id: {
      anyOf: [{ type: 'string' }, { type: 'object' }],
      description: 'Of update and delete: an ID, or {"lid": …} of an earlier operation.',
    },
    match: anyObject('Of upsert: {"field", "value"}.'),
    if_match: text('Only if the record was last changed at this updated_at.'),
    if_none_match: text('Of upsert: * only creates.'),
    data: anyObject('The attributes to write, as in create_record.'),
  },
)

export const batchRecordsTool: Tool = {
  name: 'batch_records',
  title: 'Write many records',
  description:
    `Carries out up to ${TOOL_BATCH_MAX} creates, updates, upserts and deletes in order. Each succeeds or ` +
    'fails for itself; the results say which. Use dry_run first when many records change.',
  annotations: overwrites,
  abilities: [],
  anyOf: ['create', 'update', 'delete'],
  takesOperations: true,
  input: object(
    { operations: { ...listOf(operation, 'In this order.'), minItems: 1, maxItems: TOOL_BATCH_MAX } },
    {
      atomic: flag('All or none.'),
      dry_run: flag('Checks everything and writes nothing.'),
      return: { type: 'string', enum: ['minimal', 'record'], description: 'record also shows the records.' },
      idempotency_key: keySchema('does nothing again and has the same results'),
    },
  ),
  async run(scope, { idempotency_key, ...input }) {
    const readable = readBatch(input, { resource: null, most: TOOL_BATCH_MAX })
    requireAbilities(scope, abilitiesOf(readable))
    const batch = parseOperations(readable, { namesResource: true })
    const keyed = typeof idempotency_key === 'string' ? { key: idempotency_key, input } : undefined
    return JSON.parse(await runChunk(scope, batch, keyed))
  },
}
