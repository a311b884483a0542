import { MATCH_VALUE_MAX, RESTORE_DAYS } from '@kith/contract/limits'
import { createRecord, createRecordOnce } from '../../records/create.ts'
import { removeRecord } from '../../records/trash/remove.ts'
import { updateRecord } from '../../records/update.ts'
import { upsertRecord } from '../../records/upsert.ts'
import { updateWithEdits } from '../list-edits.ts'
import {
  answerArguments,
  attributesSchema,
  idSchema,
  recordDocument,
  sentIn,
  underAttributes,
} from '../record-arguments.ts'
import { anyObject, keySchema, object, resourceSchema, text } from '../schema.ts'
import { adds, overwrites, type Tool } from '../tool.ts'
import { resourceIn, textIn } from '../tool-input.ts'

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
    const sent = sentIn(input)
    const resource = resourceIn(input)
    if (typeof input.idempotency_key !== 'string') {
      return { ...recordDocument(await underAttributes(createRecord(scope, resource, sent))), created: true }
    }
    const once = createRecordOnce(scope, resource, { ...sent, key: textIn(input, 'idempotency_key') })
    const made = await underAttributes(once, ['idempotency_key'])
    return { ...recordDocument(made), created: made.created }
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
