import { anyOperation, newBatch } from '@kith/contract/batch'
import { MATCH_VALUE_MAX, RESTORE_DAYS, TOOL_BATCH_MAX } from '@kith/contract/limits'
import { Refusal } from '@kith/contract/refusal'
import { resourceIn } from '@kith/contract/resource'
import * as is from '@kith/contract/shape'
import { abilitiesOf, parseOperations, readBatch } from '../../batch/parse-batch.ts'
import { asBatch, batchDocument, inChunkTurn, runWhole } from '../../batch/run-batch.ts'
import { removeRecord, restoreRecord } from '../../records/trash/restore.ts'
import { findDeletion, listTrash } from '../../records/trash/trash.ts'
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
  withEdits,
} from '../record-arguments.ts'
import {
  adds,
  anyObject,
  callOnce,
  keySchema,
  overwrites,
  pageArguments,
  reads,
  resourceSchema,
  restores,
  text,
  tool,
} from '../tool.ts'

export const createRecordTool = tool({
  name: 'create_record',
  title: 'Create a record',
  description:
    'Creates one record. Needs a name, or the title of a task or note. Search first, ' +
    'or use upsert_record, so that nothing exists twice.',
  annotations: adds,
  abilities: ['create'],
  takes: { resource: resourceSchema, attributes: attributesSchema },
  may: { idempotency_key: keySchema('makes no second record'), ...answerArguments },
  async run(scope, input) {
    const [resource, sent] = [resourceIn(scope.schema, input.resource), sentIn(input)]
    const create = async (inside: Scope) => {
      return { ...recordDocument(await underAttributes(createRecord(inside, resource, sent))), created: true }
    }
    return callOnce(scope, { tool: 'create_record', input, group: resource.type }, create)
  },
})

const edits = ['add', 'remove'] as const

export const updateRecordTool = tool({
  name: 'update_record',
  title: 'Change a record',
  description:
    'Changes what is sent and keeps the rest; null clears. attributes replaces whole lists (emails, tags, company_ids …); ' +
    'add and remove change single items of them.',
  annotations: overwrites,
  abilities: ['update'],
  takes: { resource: resourceSchema, id: idSchema },
  may: {
    attributes: attributesSchema,
    add: anyObject(
      'Items to add to lists: {"company_ids": [ID], "custom_fields": {"tags": ["VIP"]}, "external_ids": {"crm": ["7"]}}.',
    ),
    remove: anyObject('Items to remove from lists, in the same form.'),
    ...answerArguments,
  },
  async run(scope, input) {
    const { id, add, remove } = input
    const [sent, resource] = [sentIn(input), resourceIn(scope.schema, input.resource)]
    const edited = withEdits(resource, sent, { add, remove })
    return recordDocument(await underAttributes(updateRecord(scope, resource, { id, ...edited }), edits))
  },
})

const match = {
  field: text('One of upsert_match of describe_resource.'),
  value: is.text({ maxLength: MATCH_VALUE_MAX }),
}

export const upsertRecordTool = tool({
  name: 'upsert_record',
  title: 'Create or change a record',
  description:
    'Updates the one record that holds a value in a unique field (domains of companies, emails of people …), ' +
    'or creates it.',
  annotations: overwrites,
  abilities: ['create', 'update'],
  takes: {
    resource: resourceSchema,
    match: is.object(match, 'What identifies the record.'),
    attributes: attributesSchema,
  },
  may: answerArguments,
  async run(scope, input) {
    const write = upsertRecord(scope, resourceIn(scope.schema, input.resource), sentIn(input, { match: input.match }))
    const upserted = await underAttributes(write, ['match'])
    return { ...recordDocument(upserted), created: upserted.created }
  },
})

export const deleteRecordTool = tool({
  name: 'delete_record',
  title: 'Delete a record',
  description:
    `Deletes one record. restore_record can bring it back for ${RESTORE_DAYS} days. Ask before you delete what ` +
    'someone else made.',
  annotations: overwrites,
  abilities: ['delete'],
  takes: { resource: resourceSchema, id: idSchema },
  async run(scope, { resource, id }) {
    await sayingTrash(scope, { resource, id }, removeRecord(scope, resourceIn(scope.schema, resource), { id }))
    return { deleted: true, resource, id: id.toLowerCase() }
  },
})

/** Says of a record that is deleted already where it is. */
async function sayingTrash(
  scope: Scope,
  { resource, id }: { resource: string; id: string },
  deletion: Promise<void>,
): Promise<void> {
  try {
    await deletion
  } catch (error) {
    const deleted = isMissing(error) ? await findDeletion(scope, resourceIn(scope.schema, resource), id) : undefined
    if (!deleted || !(error instanceof Refusal)) throw error
    const message = `${error.message} It was deleted at ${deleted.at} and is in the trash; restore_record restores it until ${deleted.restorable_until}.`
    throw new Refusal({ kind: 'not_found', message })
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Refusal && error.reason.kind === 'not_found' && error.reason.merged_into === undefined
}

const operation = is.argumentSchema({
  ...anyOperation,
  resource: resourceSchema,
  id: is.maybe(
    is.given({
      anyOf: [{ type: 'string' }, { type: 'object' }],
      description: 'Of update and delete: an ID, or {"lid": …} of an earlier operation.',
    }),
  ),
  match: is.maybe(anyObject('Of upsert: {"field", "value"}. Of update and delete: instead of an id.')),
  if_match: is.maybe(text('Only if the record was last changed at this updated_at.')),
  data: is.maybe(anyObject('The attributes to write, as in create_record.')),
})

const { atomic, dry_run, return: shown } = newBatch(anyOperation)

export const batchRecordsTool = tool({
  name: 'batch_records',
  title: 'Write many records',
  description:
    `Carries out up to ${TOOL_BATCH_MAX} creates, updates, upserts and deletes in order. Each succeeds or ` +
    'fails for itself; the results say which.',
  annotations: overwrites,
  abilities: [],
  anyOf: ['create', 'update', 'delete'],
  counted: 'operations',
  takes: {
    operations: is.given({
      type: 'array',
      items: operation,
      minItems: 1,
      maxItems: TOOL_BATCH_MAX,
      description: 'In this order.',
    }),
  },
  may: {
    atomic,
    dry_run,
    return: shown,
    idempotency_key: keySchema('does nothing again and has the same results'),
  },
  async run(scope, input) {
    const { idempotency_key: _, ...sent } = input
    const readable = readBatch(sent, { resource: null, most: TOOL_BATCH_MAX })
    requireAbilities(scope, abilitiesOf(readable))
    const run = async (inside: Scope) => {
      const batch = parseOperations(readable, { schema: inside.schema, namesResource: true })
      return JSON.parse(batchDocument(await runWhole(asBatch(inside, undefined), batch), batch))
    }
    // Wait for the turn before the transaction begins, because others wait for the transaction.
    return inChunkTurn(scope, () => callOnce(scope, { tool: 'batch_records', input }, run))
  },
})

export const listTrashTool = tool({
  name: 'list_trash',
  title: 'List deleted records',
  description: `The records that were deleted or merged within ${RESTORE_DAYS} days, latest first: when, and by whom.`,
  ...reads,
  abilities: ['read', 'delete'],
  takes: {},
  may: { resource: resourceSchema, ...pageArguments() },
  run: (scope, { resource, ...page }) => listTrash(scope, { resource: resource ?? undefined, ...page }),
})

export const restoreRecordTool = tool({
  name: 'restore_record',
  title: 'Restore a deleted record',
  description:
    `Restores a record that was deleted within ${RESTORE_DAYS} days, with its relations. For a merged record ` +
    'it undoes the whole merge.',
  annotations: restores,
  abilities: ['update', 'delete'],
  takes: { resource: resourceSchema, id: idSchema },
  run: async (scope, { resource, id }) =>
    recordDocument(await restoreRecord(scope, resourceIn(scope.schema, resource), { id })),
})
