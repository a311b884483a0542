import { parseOrRefuse } from '@kith/contract/refusal'
import { resourceCode } from '@kith/contract/resource-code'
import { parseTimeZone } from '@kith/contract/summary'
import { listViewQueries } from '../../views/view-queries.ts'
import { reads, text, tool } from '../tool.ts'

export const listViewsTool = tool({
  name: 'list_views',
  title: 'List saved views',
  description: 'The saved views of lists, each with the filter and sort with which list_records shows it now.',
  ...reads,
  takes: {},
  may: {
    resource: resourceCode('Only the views of this resource.'),
    time_zone: text('Of periods such as today: UTC, or such as Europe/Berlin.'),
  },
  async run(scope, { resource, time_zone }) {
    const timeZone = parseOrRefuse([], (report) => parseTimeZone(time_zone, report))
    return { data: await listViewQueries(scope, { resource, timeZone }) }
  },
})
