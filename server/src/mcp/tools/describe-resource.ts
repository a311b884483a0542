import { reads } from '../annotations.ts'
import { describeResource } from '../describe.ts'
import { object, resourceSchema } from '../schema.ts'
import type { Tool } from '../tool.ts'
import { resourceIn } from '../tool-input.ts'

export const describeResourceTool: Tool = {
  name: 'describe_resource',
  title: 'Describe a resource',
  description:
    'What can be read, filtered, sorted, included and written of a resource in this workspace: attributes, ' +
    'relations, and custom fields with codes, types, options, operators and examples. Call it before you ' +
    'filter by or write custom fields: they differ between workspaces.',
  annotations: reads,
  abilities: ['read'],
  input: object({ resource: resourceSchema }),
  run: (scope, input) => describeResource(scope, resourceIn(input)),
}
