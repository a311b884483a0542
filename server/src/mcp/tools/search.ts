import { SEARCH_QUERY_MAX } from '@kith/contract/limits'
import { stampNames } from '@kith/contract/resource'
import { searchRecords } from '../../records/search.ts'
import { documentId, pageOf, parseDocumentId } from '../record-address.ts'
import { writeRecord } from '../record-text.ts'
import { anyObject, listOf, object, pageArguments, resourceSchema, text } from '../schema.ts'
import { reads, type Tool } from '../tool.ts'
import { textIn } from '../tool-input.ts'

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
  ...reads,
  input: object(
    { query: { type: 'string', maxLength: SEARCH_QUERY_MAX, description: 'A name, an address or a number.' } },
    {
      resource: { ...resourceSchema, description: 'Only records of this resource.' },
      limit: { ...pageArguments().per_page, description: 'How many results.' },
    },
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

export const fetchTool: Tool = {
  name: 'fetch',
  title: 'Fetch a record as text',
  description:
    'One result of search as text: all values, related records, the latest notes and tasks. For values to work ' +
    'with use get_record.',
  ...reads,
  input: object({ id: text('The id of a result of search, such as companies/01kb8x2m4n6p8q0r2s4t6v8w0x.') }),
  output: object({
    id: text('As it was asked for.'),
    title: text('The name or title.'),
    text: text('The record, in Markdown.'),
    url: text('The page of the record in the application.'),
    metadata: anyObject('The resource and the times of the record.'),
  }),
  async run(scope, input, installation) {
    const { resource, id } = parseDocumentId(textIn(input, 'id'))
    const { record, title, text: written } = await writeRecord(scope, resource, id)
    const stamps = stampNames(resource).map((name) => [name, record.attributes[name]])
    return {
      id: documentId(resource.type, record.id),
      title,
      text: written,
      url: pageOf(scope, installation, documentId(resource.type, record.id)),
      metadata: { resource: resource.type, ...Object.fromEntries(stamps) },
    }
  },
}
