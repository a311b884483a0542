import { operationNames } from '@kith/contract/batch'
import { MATCH_VALUE_MAX, RESTORE_DAYS, TOOL_BATCH_MAX } from '@kith/contract/limits'
import { abilitiesOf, parseOperations, readBatch } from '../../batch/parse-batch.ts'
import { batchDocument, inChunkTurn, runWhole } from '../../batch/run-batch.ts'
import { removeRecord, restoreRecord } from '../../records/trash/restore.ts'
import { listTrash } from '../../records/trash/trash.ts'
import { createRecord, updateRecord, upsertRecord } from '../../records/write.ts'
import { requireAbilities } from '../../scope/permissions.ts'
import type { Scope } from '../../scope/scope.ts'
import {
  answerArguments,
  attributesSchema,
  idSchema,
  recordDocument,
  sentIn,
  underAttributes,
  updateWithEdits,
} from '../record-arguments.ts'
import {
  adds,
  anyObject,
  callOnce,
  flag,
  keySchema,
  listOf,
  object,
  overwrites,
  pageArguments,
  reads,
  resourceIn,
  resourceSchema,
  restores,
  type Tool,
  text,
  textIn,
} from '../tool.ts'

export const createRecordTool: Tool = {
  name: 'create_record',
  title: 'Create a record',
  description:
    'Creates one record. Needs name (companies, people, opportunities) or title (tasks, notes). Search first, ' +
    'or use upsert_record, so that nothing exists twice.',
  annotations: adds,
  abilities: ['create'],
  input: object(
    { resource: resourceSchema, attributes: attributesSchema },
    { idempotency_key: keySchema('makes no second record'), ...answerArguments },
  ),
  async run(scope, input) {
    const [resource, sent] = [resourceIn(input), sentIn(input)]
    const create = async (inside: Scope) => {
      return { ...recordDocument(await underAttributes(createRecord(inside, resource, sent))), created: true }
    }
    return callOnce(scope, { tool: 'create_record', input, group: resource.type }, create)
  },
}

const edits = ['add', 'remove'] as const

export const updateRecordTool: Tool = {
  name: 'update_record',
  title: 'Change a record',
  description:
    'Changes what is sent and keeps the rest; null clears. attributes replaces whole lists (emails, tags, company_ids …); ' +
    'add and remove change single items of them.',
  annotations: overwrites,
  abilities: ['update'],
  input: object(
    { resource: resourceSchema, id: idSchema },
    {
      attributes: attributesSchema,
      add: anyObject('Items to add to lists: {"company_ids": [ID], "custom_fields": {"tags": ["VIP"]}}.'),
      remove: anyObject('Items to remove from lists, in the same form.'),
      ...answerArguments,
    },
  ),
  async run(scope, input) {
    const { add, remove } = input
    const [id, sent, resource] = [textIn(input, 'id'), sentIn(input), resourceIn(input)]
    const write =
      add === undefined && remove === undefined
        ? updateRecord(scope, resource, { id, ...sent })
        : updateWithEdits(scope, resource, { id, sent, edits: { add, remove } })
    return recordDocument(await underAttributes(write, edits))
  },
}

const value = { type: 'string', maxLength: MATCH_VALUE_MAX }

export const upsertRecordTool: Tool = {
  name: 'upsert_record',
  title: 'Create or change a record',
  description:
    'Updates the one record that holds a value in a unique field (domains of companies, emails of people …), ' +
    'or creates it. Prefer it to create_record if you know such a value.',
  annotations: overwrites,
  abilities: ['create', 'update'],
  input: object(
    {
      resource: resourceSchema,
      match: {
        ...object({ field: text('One of upsert_match of describe_resource.'), value }),
        description: 'What identifies the record.',
      },
      attributes: attributesSchema,
    },
    answerArguments,
  ),
  async run(scope, input) {
    const write = upsertRecord(scope, resourceIn(input), sentIn(input, { match: input.match }))
    const upserted = await underAttributes(write, ['match'])
    return { ...recordDocument(upserted), created: upserted.created }
  },
}

export const deleteRecordTool: Tool = {
  name: 'delete_record',
  title: 'Delete a record',
  description:
    `Deletes one record. restore_record can bring it back for ${RESTORE_DAYS} days. Ask before you delete what ` +
    'someone else made.',
  annotations: overwrites,
  abilities: ['delete'],
  input: object({ resource: resourceSchema, id: idSchema }),
  async run(scope, input) {
    const resource = resourceIn(input)
    const id = textIn(input, 'id')
    await removeRecord(scope, resource, { id })
    return { deleted: true, resource: resource.type, id: id.toLowerCase() }
  },
}

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
  async run(scope, input) {
    const { idempotency_key: _, ...sent } = input
    const readable = readBatch(sent, { resource: null, most: TOOL_BATCH_MAX })
    requireAbilities(scope, abilitiesOf(readable))
    const run = async (inside: Scope) => {
      const batch = parseOperations(readable, { namesResource: true })
      return JSON.parse(batchDocument(await runWhole(inside, batch), batch))
    }
    // Wait for the turn before the transaction begins, because others wait for the transaction.
    return inChunkTurn(scope, () => callOnce(scope, { tool: 'batch_records', input }, run))
  },
}

export const listTrashTool: Tool = {
  name: 'list_trash',
  title: 'List deleted records',
  description:
    `The records that were deleted or merged within ${RESTORE_DAYS} days, latest first: when, and by whom. ` +
    'restore_record brings them back.',
  ...reads,
  abilities: ['read', 'delete'],
  input: object({}, { resource: resourceSchema, ...pageArguments() }),
  run: (scope, { resource, page, per_page }) => {
    const only = resource ? { resource: resourceIn({ resource }).type } : {}
    return listTrash(scope, { ...only, page, per_page })
  },
}

export const restoreRecordTool: Tool = {
  name: 'restore_record',
  title: 'Restore a deleted record',
  description:
    `Restores a record that was deleted within ${RESTORE_DAYS} days, with its relations. For a merged record ` +
    'it undoes the whole merge.',
  annotations: restores,
  abilities: ['update', 'delete'],
  input: object({ resource: resourceSchema, id: idSchema }),
  run: async (scope, input) =>
    recordDocument(await restoreRecord(scope, resourceIn(input), { id: textIn(input, 'id') })),
}
