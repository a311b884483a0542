import { answerParameters } from '@kith/contract/answer-options'
import { isObject } from '@kith/contract/raw-input'
import type { Resource } from '@kith/contract/resource'
import { readRecord } from '../../records/read.ts'
import type { Scope } from '../../scope/scope.ts'
import { reads } from '../annotations.ts'
import { recordDocument } from '../record-document.ts'
import { answerArguments, idSchema } from '../record-schemas.ts'
import { object, resourceSchema, text } from '../schema.ts'
import { partOfText } from '../tokens.ts'
import type { Tool, ToolInput } from '../tool.ts'
import { parametersIn, resourceIn, textIn } from '../tool-input.ts'
import { withExternalIds } from '../with-external-ids.ts'

export const getRecordTool: Tool = {
  name: 'get_record',
  title: 'Read a record',
  description:
    'Reads one record with all its attributes, custom fields and external ids, and related records with ' + 'include.',
  annotations: reads,
  abilities: ['read'],
  input: object(
    {
      resource: resourceSchema,
      id: idSchema,
      ...answerArguments,
      text_field: text('Returns only this text, such as custom_fields.body.'),
      text_offset: { type: 'integer', minimum: 0, description: 'Where to go on in text_field.' },
    },
    ['include', 'fields', 'text_field', 'text_offset'],
  ),
  async run(scope, input) {
    const [resource, id] = [resourceIn(input), textIn(input, 'id')]
    if (typeof input.text_field === 'string') return readText(scope, resource, { id, ...input })
    const asked = withExternalIds(parametersIn(input, answerParameters))
    return recordDocument(await readRecord(scope, resource, { id, asked }))
  },
}

/** A part of one text, for texts that are longer than an answer. */
async function readText(scope: Scope, resource: Resource, input: ToolInput): Promise<Record<string, unknown>> {
  const field = textIn(input, 'text_field')
  const asked = { raw: { fields: [field] }, loose: false, issues: [] }
  const { data } = await readRecord(scope, resource, { id: textIn(input, 'id'), asked })
  const value = field.split('.').reduce<unknown>((at, key) => (isObject(at) ? at[key] : undefined), data[0]?.attributes)
  const whole = typeof value === 'string' ? value : JSON.stringify(value ?? '')
  const offset = typeof input.text_offset === 'number' ? Math.max(0, Math.floor(input.text_offset)) : 0
  const part = partOfText(whole, offset)
  const next = offset + part.length
  return { text: part, offset, length: whole.length, next_offset: next < whole.length ? next : null }
}
