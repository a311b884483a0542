import { SEARCH_LIMIT_DEFAULT, SEARCH_LIMIT_MAX, SEARCH_QUERY_MAX } from '@kith/contract/limits'
import { searchRecords } from '../../records/search.ts'
import { reads } from '../annotations.ts'
import { documentId, pageOf } from '../record-address.ts'
import { listOf, object, resourceSchema, text } from '../schema.ts'
import type { Tool } from '../tool.ts'

const result = object({
  id: text('For fetch.'),
  title: text('The name or title.'),
  url: text('The page of the record in the application.'),
  resource: resourceSchema,
  record_id: text('For get_record and all other tools.'),
  detail: { type: ['string', 'null'], description: 'What tells it apart: an address, a company, a stage.' },
})

export const searchTool: Tool = {
  name: 'search',
  title: 'Search',
  description:
    'Finds records of all resources by a name or title, an email address, a domain or a phone number, or ' +
    'by their beginning. It does not look into notes or other fields: use list_records with a filter such ' +
    'as {"custom_fields": {"body": {"$contains": "…"}}} for that. Search for one name at a time, not for ' +
    'a question.',
  annotations: reads,
  abilities: ['read'],
  input: object(
    {
      query: { type: 'string', maxLength: SEARCH_QUERY_MAX, description: 'A name, an address or a number.' },
      limit: {
        type: 'integer',
        minimum: 1,
        maximum: SEARCH_LIMIT_MAX,
        default: SEARCH_LIMIT_DEFAULT,
        description: 'How many of each resource.',
      },
    },
    ['limit'],
  ),
  output: object({ results: listOf(result, 'The best first, resource by resource.') }),
  async run(scope, { query, limit }, installation) {
    const found = await searchRecords(scope, { query, limit })
    const results = found.map(({ resource, id, name, detail }) => ({
      id: documentId(resource, id),
      title: name,
      url: pageOf(scope, installation, documentId(resource, id)),
      resource,
      record_id: id,
      detail,
    }))
    return { results }
  },
}
