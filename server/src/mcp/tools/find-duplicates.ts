import { certainties } from '@kith/contract/certainty'
import { findDuplicates } from '../../records/merge/duplicates.ts'
import { reads } from '../annotations.ts'
import { object, pageArguments, resourceSchema } from '../schema.ts'
import type { Tool } from '../tool.ts'
import { resourceIn } from '../tool-input.ts'

const certainty = { type: 'string', enum: [...certainties], default: 'certain', description: 'Which ones.' }

export const findDuplicatesTool: Tool = {
  name: 'find_duplicates',
  title: 'Find duplicates',
  description:
    'Values that several records share. certain: a value of a unique field. likely: the same name in another ' +
    'spelling, or the same address; these may be different records. Merge with merge_records.',
  annotations: reads,
  abilities: ['read'],
  input: object({ resource: resourceSchema, certainty, ...pageArguments() }, ['certainty', 'page', 'per_page']),
  run: (scope, { certainty, page, per_page, ...input }) =>
    findDuplicates(scope, resourceIn(input), { certainty, page, per_page }),
}
