import { answerParameters } from '@kith/contract/answer-options'
import {
  SEARCH_QUERY_MAX,
  SUMMARY_GROUP_BY_MAX,
  SUMMARY_GROUPS_DEFAULT,
  SUMMARY_GROUPS_MAX,
} from '@kith/contract/limits'
import { listParameters } from '@kith/contract/list-query'
import { operators } from '@kith/contract/operators'
import { isObject } from '@kith/contract/raw-input'
import { type Resource, resourceIn, stampNames } from '@kith/contract/resource'
import { resourceCode } from '@kith/contract/resource-code'
import * as is from '@kith/contract/shape'
import { measures, periods, summarySorts } from '@kith/contract/summary'
import { listRecords } from '../../records/list.ts'
import { readRecord } from '../../records/read.ts'
import { searchRecords } from '../../records/search.ts'
import { readSummary } from '../../records/summary.ts'
import type { Scope } from '../../scope/scope.ts'
import {
  answerArguments,
  documentId,
  idSchema,
  pageOf,
  parseDocumentId,
  recordDocument,
  withExternalIds,
} from '../record-arguments.ts'
import { describeResource, listResources, partOfText, writeRecord } from '../record-text.ts'
import { anyObject, pageArguments, parametersIn, reads, resourceSchema, text, tool } from '../tool.ts'
import { FILES, fetchFile } from './files.ts'

export const describeResourceTool = tool({
  name: 'describe_resource',
  title: 'Describe a resource',
  description:
    'What can be read, filtered, sorted, included and written of a resource in this workspace: attributes, ' +
    'relations, and custom fields with codes, types, options, operators and examples. Call it before you ' +
    'filter by or write custom fields: they differ between workspaces. Without a resource: which ones there are.',
  ...reads,
  takes: {},
  may: { resource: resourceSchema },
  run: (scope, { resource }) =>
    resource ? describeResource(scope, resourceIn(scope.schema, resource)) : listResources(scope),
})

const filter =
  'Conditions by name, all of which must hold: {"name": {"$contains": "acme"}, "custom_fields": {"stage": {"$in": ' +
  '["Proposal"]}}}. Values are never bare: write {"$eq": …}. ' +
  `Operators: ${operators.join(', ')}; describe_resource says which ones a name takes. ` +
  'id and relations take {"$in": [ID]}; relations also $not_in, $is_empty and conditions on the related record: ' +
  '{"company": {"custom_fields": {"icp": {"$eq": true}}}}, {"tasks": {"$is_empty": true}}. $and and $or take lists, ' +
  '$not an object.'

/** The cursor that begins a scan. REST uses an empty cursor. */
const START = 'start'

export const listRecordsTool = tool({
  name: 'list_records',
  title: 'List records',
  description:
    'Lists records of one resource, filtered and sorted, newest first by default, with the total. For a name ' +
    'or address that someone mentioned use search, for totals and averages summarize.',
  ...reads,
  takes: { resource: resourceSchema },
  may: {
    filter: anyObject(filter),
    sort: text('Names joined by commas, - descends: "-updated_at", "custom_fields.amount,name".'),
    ...answerArguments,
    ...pageArguments(),
    cursor: text('For a long list: start, then each next_cursor until it is null. Not with page.'),
  },
  async run(scope, input) {
    const sent = input.cursor === START ? { ...input, cursor: true } : input
    const listed = await listRecords(
      scope,
      resourceIn(scope.schema, input.resource),
      parametersIn(sent, listParameters),
    )
    const { data, included, per_page, truncated } = listed
    const shown = { data: data(), included, per_page, ...(truncated.length > 0 ? { truncated } : {}) }
    if (listed.by === 'cursor') return { ...shown, next_cursor: listed.next_cursor }
    const { total, page } = listed
    return { ...shown, total, page, last_page: Math.max(1, Math.ceil(total / per_page)) }
  },
})

export const getRecordTool = tool({
  name: 'get_record',
  title: 'Read a record',
  description: 'One record with all its attributes, custom fields and external ids, and related records with include.',
  ...reads,
  takes: { resource: resourceSchema, id: idSchema },
  may: {
    ...answerArguments,
    text_field: text('Returns only this text, such as custom_fields.body.'),
    text_offset: is.given(is.whole({ says: 'Where to go on in text_field.' }).schema),
  },
  async run(scope, input) {
    const { id, text_field: field, text_offset: offset } = input
    const resource = resourceIn(scope.schema, input.resource)
    if (typeof field === 'string') return readText(scope, resource, { id, field, offset })
    const asked = withExternalIds(parametersIn(input, answerParameters))
    return recordDocument(await readRecord(scope, resource, { id, asked }))
  },
})

/** A part of one text, for texts that are longer than an answer. */
async function readText(
  scope: Scope,
  resource: Resource,
  { id, field, offset: sent }: { id: string; field: string; offset: unknown },
): Promise<Record<string, unknown>> {
  const asked = { raw: { fields: [field] }, loose: false, issues: [] }
  const { data } = await readRecord(scope, resource, { id, asked })
  const value = field
    .split('.')
    .reduce<unknown>((at, key) => (isObject(at) ? at[key] : undefined), data()[0]?.attributes)
  const whole = typeof value === 'string' ? value : JSON.stringify(value ?? '')
  const offset = typeof sent === 'number' ? Math.max(0, Math.floor(sent)) : 0
  const part = partOfText(whole, offset)
  const next = offset + part.length
  return { text: part, offset, length: whole.length, next_offset: next < whole.length ? next : null }
}

export const summarizeTool = tool({
  name: 'summarize',
  title: 'Count and sum up records',
  description:
    'Counts records or measures a field in groups under any filter: {"resource": "opportunities", "measure": ' +
    '"sum", "field": "amount", "group_by": ["stage"]}.',
  ...reads,
  takes: { resource: resourceSchema },
  may: {
    measure: is.word(measures, 'count unless sent.'),
    field: text('For all but count.'),
    group_by: is.list(is.text(), {
      maxItems: SUMMARY_GROUP_BY_MAX,
      says: 'Choices, flags, dates, creation_source, relations, company.created_at.',
    }),
    period: is.word(periods, 'Of dates.'),
    time_zone: text('IANA name.'),
    limit: is.given(
      is.whole({ from: 1, to: SUMMARY_GROUPS_MAX, default: SUMMARY_GROUPS_DEFAULT, says: 'Groups.' }).schema,
    ),
    sort: is.word(summarySorts, 'Largest first.'),
    filter: anyObject('As in list_records.'),
  },
  run: (scope, { resource, ...raw }) =>
    readSummary(scope, resourceIn(scope.schema, resource), { raw, loose: false, issues: [] }),
})

const result = is.object({
  id: text('For fetch.'),
  title: text('The name or title.'),
  url: text('The page of the record in the application.'),
  resource: resourceSchema,
  record_id: text('For get_record and all other tools.'),
  detail: is.given({ anyOf: [{ type: 'string' }, { type: 'null' }], description: 'An address, a company, a stage.' }),
})

const NOTHING_FOUND =
  'No record has all these words. search looks at the beginnings of words in names, titles, email addresses, domains, ' +
  'phone numbers, links, tags, texts and external IDs, not at amounts, dates or choices, and not in the trash. Send ' +
  'fewer words, or list_records with a filter.'

export const searchTool = tool({
  name: 'search',
  title: 'Search',
  description:
    'Finds records by words in any order: of their name or title, email addresses, domains, phone numbers, ' +
    'tags and texts, also of notes. Letter case and accents do not matter, and the beginning of ' +
    'a word is enough. All words must match, so use few: search for a name, not for a question. For all matches use list_records with the filter {"$search": "…"}.',
  ...reads,
  takes: { query: is.text({ maxLength: SEARCH_QUERY_MAX, says: 'A name, an address or a number.' }) },
  may: {
    resource: resourceCode('Only records of this resource.'),
    limit: is.given({ ...pageArguments().per_page.schema, description: 'How many results.' }),
  },
  output: { results: is.list(result, { says: 'The best first.' }), hint: is.maybe(text('If nothing was found.')) },
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
    return results.length > 0 ? { results } : { results, hint: NOTHING_FOUND }
  },
})

export const fetchTool = tool({
  name: 'fetch',
  title: 'Fetch a record as text',
  description:
    'One result of search as text: all values, related records, the latest notes, tasks and comments; or a text file.',
  ...reads,
  takes: { id: text('The id of a result of search, such as companies/01kb8x2m4n6p8q0r2s4t6v8w0x.') },
  output: {
    id: text('As it was asked for.'),
    title: text('The name or title.'),
    text: text('The record, in Markdown.'),
    url: text('The page of the record in the application.'),
    metadata: anyObject('The resource and the times of the record.'),
  },
  async run(scope, input, installation) {
    const [kind, file, ...more] = input.id.split('/')
    if (kind === FILES && file !== undefined && more.length === 0) return fetchFile(scope, file, installation)
    const { resource, id } = parseDocumentId(scope, input.id)
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
})
