import { certainties } from '@kith/contract/certainty'
import { findDuplicates } from '../../records/merge/duplicates.ts'
import { reads } from '../annotations.ts'
import { listOf, object, pageArguments, resourceSchema } from '../schema.ts'
import type { Tool } from '../tool.ts'
import { resourceIn } from '../tool-input.ts'

const string = { type: 'string' }
const integer = { type: 'integer' }

const duplicate = object({
  certainty: { type: 'string', enum: ['certain', 'likely'] },
  field: object({ code: string, name: string }),
  value: { type: ['string', 'number'], description: 'As the oldest record spells it.' },
  records: listOf(object({ id: string, name: string, created_at: string }), 'The oldest first.'),
  count: { type: 'integer', description: 'How many records hold it; more than are listed where there are very many.' },
})

const certainty = { type: 'string', enum: [...certainties], default: 'certain', description: 'Which ones.' }

export const findDuplicatesTool: Tool = {
  name: 'find_duplicates',
  title: 'Find duplicates',
  description:
    'Lists what several records have in common. certain: a value of a unique field (domains, emails …). likely: the ' +
    'same name apart from letter case, accents, punctuation and legal form, or the same address in another field; ' +
    'these may well be different records. Merge what belongs together with merge_records.',
  annotations: reads,
  abilities: ['read'],
  input: object({ resource: resourceSchema, certainty, ...pageArguments() }, ['certainty', 'page', 'per_page']),
  output: object({
    data: listOf(duplicate, 'In the order of the fields, then of the values.'),
    total: { ...integer, description: 'How many such values there are.' },
    page: integer,
    per_page: integer,
  }),
  run: (scope, { certainty, page, per_page, ...input }) =>
    findDuplicates(scope, resourceIn(input), { certainty, page, per_page }),
}
