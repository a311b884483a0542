import { PER_PAGE_DEFAULT, PER_PAGE_MAX, SEARCH_QUERY_MAX } from '@kith/contract/limits'
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
  detail: { anyOf: [{ type: 'string' }, { type: 'null' }], description: 'An address, a company, a stage.' },
})

export const searchTool: Tool = {
  name: 'search',
  title: 'Search',
  description:
    'Finds records by words in any order: of their name or title, email addresses, domains, phone numbers, ' +
    'tags and texts, the text of notes included. Letter case and accents do not matter, and the beginning of ' +
    'a word is enough. All words must match, so use few: search for a name, not for a question. Returns the ' +
    'best matches first. For all matches use list_records with the filter {"$search": "…"}.',
  annotations: reads,
  abilities: ['read'],
  input: object(
    {
      query: { type: 'string', maxLength: SEARCH_QUERY_MAX, description: 'A name, an address or a number.' },
      resource: { ...resourceSchema, description: 'Only records of this resource.' },
      limit: {
        type: 'integer',
        minimum: 1,
        maximum: PER_PAGE_MAX,
        default: PER_PAGE_DEFAULT,
        description: 'How many results.',
      },
    },
    ['resource', 'limit'],
  ),
  output: object({ results: listOf(result, 'The best first.') }),
  async run(scope, { query, resource, limit }, installation) {
    const names = { query: 'query', per_page: 'limit' }
    const { data } = await searchRecords(scope, { query, resource, per_page: limit, names })
    const results = data.map(({ resource, id, name, detail }) => ({
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
