import { EXTERNAL_ID_MAX, EXTERNAL_IDS_MAX, EXTERNAL_NAMESPACES_MAX } from '@kith/contract/limits'
import type { Schema } from './schema.ts'

const id: Schema = { type: 'string', minLength: 1, maxLength: EXTERNAL_ID_MAX }
const namespace: Schema = { type: 'string', pattern: '^[a-z][a-z0-9_-]{0,39}$' }
const examples = [{ salesforce: ['001A0000012xyz'], billing: ['42'] }]

/** The ids that other systems have for a record, as they are read and written. */
export const externalIdSchemas: Record<string, Schema> = {
  ExternalIds: {
    type: 'object',
    description: 'The ids that other systems have for this record, by namespace.',
    propertyNames: namespace,
    additionalProperties: { type: 'array', items: id, minItems: 1 },
    examples,
  },
  ExternalIdsInput: {
    type: ['object', 'null'],
    description: `Ids of other systems by namespace: one id or a list. They are compared exactly, and only one live record of the resource can have an id. A namespace that is absent is kept, \`null\` or \`[]\` clears it, and \`null\` instead of the object clears all. At most ${EXTERNAL_NAMESPACES_MAX} namespaces and ${EXTERNAL_IDS_MAX} ids.`,
    propertyNames: namespace,
    additionalProperties: { anyOf: [id, { type: 'array', items: id }, { type: 'null' }] },
    examples,
  },
}
