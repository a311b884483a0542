import { findDuplicates } from '../../records/merge/duplicates.ts'
import { reads } from '../annotations.ts'
import { listOf, object, pageArguments, resourceSchema } from '../schema.ts'
import type { Tool } from '../tool.ts'
import { resourceIn } from '../tool-input.ts'

const string = { type: 'string' }
const integer = { type: 'integer' }

const duplicate = object({
  field: object({ code: string, name: string }),
  value: { type: ['string', 'number'], description: 'As the oldest record spells it.' },
  records: listOf(object({ id: string, name: string, created_at: string }), 'The oldest first.'),
  count: { type: 'integer', description: 'How many records hold it; more than are listed where there are very many.' },
})

export const findDuplicatesTool: Tool = {
  name: 'find_duplicates',
  title: 'Find duplicates',
  description:
    'Lists values of unique fields (domains, emails …) that more than one record holds. It knows nothing ' +
    'of names that are merely alike. Merge what belongs together with merge_records.',
  annotations: reads,
  abilities: ['read'],
  input: object({ resource: resourceSchema, ...pageArguments() }, ['page', 'per_page']),
  output: object({
    data: listOf(duplicate, 'In the order of the fields, then of the values.'),
    total: { ...integer, description: 'How many such values there are.' },
    page: integer,
    per_page: integer,
  }),
  run: (scope, { page, per_page, ...input }) => findDuplicates(scope, resourceIn(input), { page, per_page }),
}
