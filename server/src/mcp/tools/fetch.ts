import { stampNames } from '@kith/contract/resource'
import { reads } from '../annotations.ts'
import { documentId, pageOf, parseDocumentId } from '../record-address.ts'
import { writeRecord } from '../record-text.ts'
import { anyObject, object, text } from '../schema.ts'
import type { Tool } from '../tool.ts'
import { textIn } from '../tool-input.ts'

export const fetchTool: Tool = {
  name: 'fetch',
  title: 'Fetch a record as text',
  description:
    'One result of search as text: all values, related records, the latest notes and tasks. For values to work ' +
    'with use get_record.',
  annotations: reads,
  abilities: ['read'],
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
