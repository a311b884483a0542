import { resourceCode } from '@kith/contract/resource-code'
import { listViewQueries } from '../../views/view-queries.ts'
import { reads, tool } from '../tool.ts'

export const listViewsTool = tool({
  name: 'list_views',
  title: 'List saved views',
  description: 'The saved views of lists, each with the filter and sort with which list_records shows it now.',
  ...reads,
  takes: {},
  may: { resource: resourceCode('Only the views of this resource.') },
  run: async (scope, { resource }) => ({ data: await listViewQueries(scope, resource ?? undefined) }),
})
