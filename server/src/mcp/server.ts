import { parseId } from '@kith/contract/id'
import { suggestion } from '@kith/contract/nearest'
import { isObject } from '@kith/contract/raw-input'
import { Refusal, refuse, refuseValue } from '@kith/contract/refusal'
import { type Tool as ListedTool, ProtocolError, ProtocolErrorCode, Server } from '@modelcontextprotocol/server'
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/server/validators/ajv'
import { type WhoAmI, whoAmI } from '../accounts/who-am-i.ts'
import { refusalIn } from '../calls/answer.ts'
import { countLive } from '../records/read.ts'
import { requireAbilities, requirePermission } from '../scope/permissions.ts'
import { inSnapshot, type Scope } from '../scope/scope.ts'
import { version } from '../version.ts'
import { cutText, describeResource, estimateTokens, TOKENS_MAX } from './record-text.ts'
import { type Installation, isAllowed, parseToolInput, type Tool } from './tool.ts'
import { toolNamed, tools } from './tools.ts'

/** Shared by all messages: creating it takes longer than most of them. */
const jsonSchemaValidator = new AjvJsonSchemaValidator()

/**
 * The lists depend on the abilities and role of the caller, and change only with these or with a new version of Kith.
 */
const LISTS = { ttlMs: 5 * 60_000, cacheScope: 'private' } as const

const cacheHints = {
  'server/discover': LISTS,
  'tools/list': LISTS,
  'prompts/list': LISTS,
  'resources/list': LISTS,
  'resources/templates/list': LISTS,
}

/** A server for one message. It is stateless, so any node can answer the next one. */
export function serverFor({
  scope,
  installation,
  onBug,
}: {
  scope: Scope
  installation: Installation
  onBug(error: unknown): void
}): Server {
  const capabilities = { tools: {}, resources: {}, prompts: {} }
  const options = { capabilities, instructions, jsonSchemaValidator, cacheHints }
  const server = new Server({ name: 'kith', title: 'Kith', version }, options)
  const reads = scope.actor.abilities.includes('read')
  /** Passes bugs to `onBug`, because the protocol library would show them to the caller. */
  const guarded = <T>(work: () => Promise<T>) => work().catch((error: unknown) => fail(error, { onBug }))
  server.setRequestHandler('tools/list', () => ({
    tools: tools.filter((tool) => isAllowed(tool, scope.actor)).map(presentTool),
  }))
  server.setRequestHandler('tools/call', ({ params }) =>
    guarded(async () => ({ ...(await callTool(scope, { name: params.name, input: params.arguments }, installation)) })),
  )
  server.setRequestHandler('resources/list', () => ({ resources: reads ? listResources(scope) : [] }))
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: [] }))
  server.setRequestHandler('resources/read', ({ params }) =>
    readResource(scope, params.uri).catch((error: unknown) => fail(error, { onBug, uri: params.uri })),
  )
  server.setRequestHandler('prompts/list', () => ({
    prompts: reads ? [{ ...overviewPrompt, arguments: [...overviewPrompt.arguments] }] : [],
  }))
  server.setRequestHandler('prompts/get', ({ params }) =>
    guarded(() => readPrompt(scope, params.name, params.arguments ?? {})),
  )
  return server
}

function presentTool({ name, title, description, annotations, input, output }: Tool): ListedTool {
  const schemas = { inputSchema: input, ...(output === undefined ? {} : { outputSchema: output }) }
  // A schema is plain JSON, but its type does not say so.
  return { name, title, description, annotations, ...(schemas as Pick<ListedTool, 'inputSchema' | 'outputSchema'>) }
}

/** Reports a refusal in the protocol's form. With `uri`, clients recognize a resource that does not exist. */
function fail(error: unknown, { onBug, uri }: { onBug(error: unknown): void; uri?: string }): never {
  if (!(error instanceof Refusal)) {
    onBug(error)
    throw new ProtocolError(ProtocolErrorCode.InternalError, 'Server Error')
  }
  const data = error.reason.kind === 'not_found' && uri !== undefined ? { uri } : undefined
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, refusalText(error), data)
}

/** Sent to every model that connects. */
const instructions = [
  'Kith is a CRM. One workspace can be reached: companies, people, opportunities, tasks and notes, and what it has ' +
    'added; describe_resource without a resource lists all.',
  '- Each record has native attributes and custom fields. Amount, stage, close date, emails, domains, due date, status ' +
    'and the body of a note are custom fields, which are under custom_fields by their code. Call describe_resource ' +
    'before you filter by or write them.',
  '- Bring related records along with include instead of reading them one by one; ask for few fields ' +
    'where lists are long.',
  '- Before you create a company or a person, look for it with search or use upsert_record with its domain or email ' +
    'address.',
  '- A refused call has changed nothing. Its text says what to change, with the path and what is accepted there.',
  '- Times are UTC. IDs are opaque; show people names instead.',
].join('\n')

const WORKSPACE = 'kith://workspace'

const SCHEMAS = 'kith://schema/'

const JSON_TYPE = 'application/json'

/** The resources that clients can show to a model without a tool call: the schemas and a summary of the workspace. */
function listResources({ schema }: Scope) {
  return [
    {
      uri: WORKSPACE,
      name: 'workspace',
      title: 'The workspace',
      description: 'Who you are, how many records there are, and which custom fields they have.',
      mimeType: JSON_TYPE,
    },
    ...[...schema.values()].map(({ type }) => ({
      uri: SCHEMAS + type,
      name: `schema-${type}`,
      title: `Schema of ${type}`,
      description: `Attributes, relations, custom fields, operators and examples of ${type}.`,
      mimeType: JSON_TYPE,
    })),
  ]
}

async function readResource(scope: Scope, uri: string) {
  const text = JSON.stringify(await contentOf(scope, uri))
  return { contents: [{ uri, mimeType: JSON_TYPE, text }] }
}

function contentOf(scope: Scope, uri: string): Promise<object> {
  if (uri === WORKSPACE) return summarizeWorkspace(scope)
  const resource = uri.startsWith(SCHEMAS) ? scope.schema.get(uri.slice(SCHEMAS.length)) : undefined
  if (resource) return describeResource(scope, resource)
  const known = listResources(scope).map((resource) => resource.uri)
  const message = `There is no resource ${uri.slice(0, 200)}. Known: ${known.join(', ')}.${suggestion(uri, known)}`
  return refuse({ kind: 'not_found', message })
}

/** The only prompt: an overview of the workspace. */
const overviewPrompt = {
  name: 'overview',
  title: 'Overview of the workspace',
  description: 'An overview: the pipeline, what is due, what happened lately.',
  arguments: [
    { name: 'focus', description: 'What to look at more closely: a company, a person, a topic.', required: false },
  ],
} as const

async function readPrompt(scope: Scope, name: string, given: Readonly<Record<string, string>>) {
  if (name !== overviewPrompt.name) {
    const message =
      `There is no prompt ${name.slice(0, 100)}. Known: ` +
      `${overviewPrompt.name}.${suggestion(name, [overviewPrompt.name])}`
    refuse({ kind: 'not_found', message })
  }
  const summary = await summarizeWorkspace(scope)
  const text = [
    `Give me an overview of the workspace ${summary.workspace.name}.`,
    ...(given.focus ? [`Look more closely at: ${given.focus}.`] : []),
    '',
    'What it holds:',
    ...summary.resources.map(({ resource, records, custom_fields }) => {
      return `- ${resource}: ${records} (custom fields: ${custom_fields.join(', ') || 'none'})`
    }),
    '',
    `I am ${summary.user.name} (user ID ${summary.user.id}), ${summary.role} of it.`,
    '',
    'Tell me, in short sections, with names and figures and without IDs:',
    '1. Opportunities: how many and how much by stage, and those that close next.',
    '2. Tasks: what is overdue or due within a week, mine first.',
    '3. What changed lately: new companies and people, and the latest notes.',
    '4. What I should do next.',
    'Read only; change nothing. Leave a section out where there is nothing to tell.',
  ].join('\n')
  return {
    description: overviewPrompt.description,
    messages: [{ role: 'user' as const, content: { type: 'text' as const, text } }],
  }
}

/** A short summary of the workspace. */
async function summarizeWorkspace(scope: Scope): Promise<
  WhoAmI & {
    resources: { resource: string; records: number; custom_fields: string[] }[]
  }
> {
  requireAbilities(scope, ['read'])
  const [who, counts] = await inSnapshot(
    scope,
    async (inside) => [await whoAmI(inside), await countLive(inside)] as const,
  )
  return {
    ...who,
    resources: [...scope.schema.values()].map(({ type, fields }) => ({
      resource: type,
      records: counts[type] ?? 0,
      custom_fields: fields.list.map(({ code }) => code),
    })),
  }
}

/** Runs a tool. A refusal is returned as an error message; a bug is thrown. */
async function callTool(
  scope: Scope,
  { name, input }: { name: string; input: unknown },
  installation: Installation,
): Promise<{
  content: { type: 'text'; text: string }[]
  structuredContent?: Record<string, unknown>
  isError?: true
}> {
  // An unknown tool is an error of the protocol, not of a tool.
  const tool = toolNamed(name) ?? refuseUnknown(name, scope)
  try {
    refuseUnlessAllowed(tool, scope)
    const structured = await tool.run(scope, parseToolInput(scope, tool, input), installation)
    // Clients without support for structured content read the text.
    const text = boundedAnswer(structured)
    if (tool.annotations.readOnlyHint) refuseTooLong(text)
    return { content: [{ type: 'text', text }], structuredContent: JSON.parse(text) }
  } catch (error) {
    const refusal = refusalIn(error)
    if (refusal) return { content: [{ type: 'text', text: refusalText(refusal, input) }], isError: true }
    throw error
  }
}

/** Only for tools that read: the answer to a write is always sent. */
function refuseTooLong(text: string): void {
  const tokens = estimateTokens(text)
  if (tokens <= TOKENS_MAX) return
  const message =
    `The answer would have about ${tokens} tokens, and can have ${TOKENS_MAX}. Ask for fewer records (per_page, ` +
    'limit), fewer relations (include) or fewer attributes (fields).'
  refuseValue('per_page', message)
}

function refuseUnknown(name: string, { actor }: Scope): never {
  const names = tools.filter((tool) => isAllowed(tool, actor)).map((tool) => tool.name)
  const message = `There is no tool ${name.slice(0, 100)}. Tools: ${names.join(', ')}.${suggestion(name, names)}`
  refuse({ kind: 'not_found', message })
}

/** Runs before the arguments are checked, as on every surface. */
function refuseUnlessAllowed(tool: Tool, scope: Scope): void {
  requireAbilities(scope, tool.abilities)
  if (!isAllowed(tool, scope.actor)) requireAbilities(scope, tool.anyOf ?? [])
  if (tool.permission !== undefined) requirePermission(scope, tool.permission)
}

/** A text that was cut. `record` is its resource and ID, if it belongs to a record. */
type TruncatedText = { record?: string; field: string; shown: number; length: number }

type ToolStructure = Readonly<Record<string, unknown>>

/**
 * The maximum lengths of texts in an answer, in characters. The first one that makes it short enough for a model is
 * used.
 */
const LENGTHS = [60_000, 20_000, 5000, 1000, 200]

const HOW = 'get_record with text_field and text_offset returns the rest of a text.'

/** The answer as JSON. If it is too long for a model, texts are cut and listed. */
export function boundedAnswer(structured: ToolStructure): string {
  let text = JSON.stringify(structured)
  for (const length of LENGTHS) {
    if (estimateTokens(text) <= TOKENS_MAX) return text
    const cut: TruncatedText[] = []
    const shorter = withShortTexts(structured, { length, field: '', cut })
    if (cut.length > 0) text = JSON.stringify({ ...(shorter as ToolStructure), truncated_texts: cut, rest: HOW })
  }
  return text
}

type Place = { length: number; record?: string; field: string; cut: TruncatedText[] }

function withShortTexts(value: unknown, place: Place): unknown {
  const { length, field, cut, record } = place
  if (typeof value === 'string') {
    if (value.length <= length) return value
    const shown = cutText(value, 0, length)
    cut.push({ ...(record === undefined ? {} : { record }), field, shown: shown.length, length: value.length })
    return shown
  }
  if (Array.isArray(value)) return value.map((item) => withShortTexts(item, place))
  if (!isObject(value)) return value
  const own = placeIn(value, place)
  const entries = Object.entries(value).map(([key, item]) => [
    key,
    withShortTexts(item, { ...own, field: below(own, key) }),
  ])
  return Object.fromEntries(entries)
}

/** The path of an attribute in a record, named as in the arguments. */
function placeIn({ type, id, attributes }: Readonly<Record<string, unknown>>, place: Place): Place {
  if (typeof type !== 'string' || typeof id !== 'string' || !isObject(attributes)) return place
  return { ...place, record: `${type}/${id}`, field: '' }
}

function below({ field, record }: Place, key: string): string {
  if (record !== undefined && field === '' && key === 'attributes') return ''
  return field === '' ? key : `${field}.${key}`
}

/** The message for a model: every problem with its path. */
function refusalText({ reason, message }: Refusal, input?: unknown): string {
  switch (reason.kind) {
    case 'invalid':
      return [
        'Refused; nothing was changed.',
        ...reason.issues.map((issue) => `- ${issue.path}: ${issue.message}`),
      ].join('\n')
    case 'not_found':
      return reason.merged_into === undefined
        ? message + adviceFor(input)
        : `${message} It was merged; use this record instead. merged_into: ${JSON.stringify(reason.merged_into)}`
    case 'ambiguous':
      return `${message} Nothing was written. The records: ${reason.matches.join(', ')}.`
    default:
      return message
  }
}

/** Models send the name of a record in place of its ID. */
function adviceFor(input: unknown): string {
  const { id, resource } = isObject(input) ? input : {}
  if (typeof id !== 'string' || resource === undefined || parseId(id) !== undefined) return ''
  return ' An ID has 26 letters and digits. To find a record by its name or address, use search.'
}
