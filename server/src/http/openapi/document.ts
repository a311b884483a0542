import { abilities, roles } from '@kith/contract/abilities'
import { BATCH_MAX, MATCHES_MAX } from '@kith/contract/limits'
import { resourceNames } from '@kith/contract/resource'
import { operationNames } from '../../batch/operation.ts'
import { type V1Route, v1Routes } from '../v1/routes.ts'
import { bodyParts, bodySchemas } from './body-schemas.ts'
import { webhookEvents } from './event-operations.ts'
import { exampleParts } from './examples.ts'
import { filterSchemas } from './filter-schemas.ts'
import { info, tags } from './info.ts'
import { changeSchemas, jobSchemas } from './job-schemas.ts'
import { mergeSchemas } from './merge-schemas.ts'
import { operationOf } from './operations.ts'
import { parameterParts } from './parameters.ts'
import { documentOf, listSchemas, pageOf, recordSchemas } from './record-schemas.ts'
import { refusalParts } from './refusals.ts'
import { closed, constant, enumOf, headerParts, is, orNull, ref, type Schema, says } from './schema.ts'
import { definitionSchemas, schemaSchemas } from './schema-schemas.ts'
import { valueSchemas } from './value-schemas.ts'
import { eventSchemas, webhookSchemas } from './webhook-schemas.ts'

const message: Schema = says(is.text, 'What went wrong, in a sentence.')

const matches: Schema = {
  type: 'array',
  items: ref('Id'),
  minItems: 2,
  maxItems: MATCHES_MAX,
  description: `The records that hold the value, oldest first, at most ${MATCHES_MAX} of them.`,
}

type OpenApiDocument = {
  openapi: string
  info: Schema
  servers: readonly { url: string; description: string }[]
  security: readonly Schema[]
  tags: readonly Schema[]
  paths: Readonly<Record<string, Readonly<Record<string, Schema>>>>
  /** The requests that Kith sends. */
  webhooks: Readonly<Record<string, Readonly<Record<string, Schema>>>>
  components: Readonly<Record<string, Readonly<Record<string, Schema>>>>
}

/** The address of the service without configuration. */
const USUAL_SERVER = 'http://localhost:3000/api'

/** The whole REST API in OpenAPI 3.1, generated from the declarations that the service itself uses. */
export function openApiDocument(server = USUAL_SERVER): OpenApiDocument {
  return {
    openapi: '3.1.0',
    info,
    servers: [{ url: server, description: 'This installation' }],
    security: [{ token: [] }],
    tags,
    paths: pathsOf(v1Routes),
    webhooks: webhookEvents(),
    components: {
      securitySchemes: {
        token: {
          type: 'http',
          scheme: 'bearer',
          description: 'An access token: `kith_` and 46 letters and digits. It is made under Settings > Access Tokens.',
        },
      },
      parameters: parameterParts(),
      headers: headerParts,
      requestBodies: bodyParts(),
      responses: refusalParts(),
      schemas: {
        ...recordSchemas(),
        ...valueSchemas(),
        ...listSchemas(),
        ...definitionSchemas(),
        ...accountSchemas(),
        ...mergeSchemas(),
        ...changeSchemas(),
        ...batchSchemas(),
        ...jobSchemas(),
        ...schemaSchemas(),
        ...webhookSchemas(),
        ...eventSchemas(),
        ...bodySchemas(),
        ...filterSchemas(),
        ...errorSchemas(),
      },
      examples: exampleParts(server),
    },
  }
}

function pathsOf(routes: readonly V1Route[]): OpenApiDocument['paths'] {
  const paths: Record<string, Record<string, Schema>> = {}
  for (const route of routes) {
    const path = `/v1${route.path.replace(/:(\w+)/g, '{$1}')}`
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(route) }
  }
  return paths
}

/** The members of the workspace, and the access token of the request. */
function accountSchemas(): Record<string, Schema> {
  return {
    UserList: pageOf('User'),
    Token: closed({ id: ref('Id'), type: constant('tokens'), attributes: ref('TokenAttributes') }),
    TokenAttributes: closed({
      name: is.text,
      abilities: { type: 'array', items: enumOf(abilities), uniqueItems: true },
      expires_at: says(orNull(ref('Timestamp')), 'Null if it never expires.'),
      role: says(enumOf(roles), "The role of the token's user. It must allow a request, too."),
      limits: ref('TokenLimits'),
      workspace: closed({ id: ref('Id'), name: is.text, slug: is.text }),
    }),
    TokenLimits: closed(
      {
        workspace: limit('Requests of all tokens of the workspace.'),
        reads: limit('Reads of this token.'),
        writes: limit('Writes of this token.'),
        items: limit('Items that the tokens of the workspace write.'),
      },
      { description: 'How many a minute. Null for a limit that is off.' },
    ),
    TokenDocument: documentOf('Token'),
  }
}

function limit(description: string): Schema {
  return { type: ['integer', 'null'], minimum: 1, description }
}

const op = enumOf(operationNames)

const resource = enumOf(resourceNames)

const lid: Schema = {
  type: 'string',
  pattern: '^[A-Za-z0-9_-]{1,64}$',
  description: 'Of a create or upsert: a name for the record. `{"lid": …}` is its ID in later operations.',
}

const parts: Record<string, Schema> = {
  op,
  lid,
  id: {
    anyOf: [is.text, ref('Lid')],
    description: 'Of an update or delete: the ID of the record, or `{"lid": …}` of an earlier operation.',
  },
  match: says(ref('Match'), 'Of an upsert: as in the single request.'),
  if_match: says(
    is.textOrNull,
    'Like the header, with or without quotes: `*`, or an `updated_at` or `ETag` of the record.',
  ),
  if_none_match: says(is.textOrNull, 'Of an upsert: `*` only creates.'),
  data: {
    type: 'object',
    additionalProperties: true,
    description: 'The body of the single request. A delete has none.',
  },
}

/** The bodies and results of batches. */
function batchSchemas(): Record<string, Schema> {
  return {
    Lid: closed({ lid }, { description: 'The record of an earlier operation of the batch.' }),
    Batch: batchOf({ op, resource, ...parts }, ['op', 'resource']),
    ResourceBatch: batchOf(parts, ['op']),
    BatchResults: closed({
      data: { type: 'array', items: ref('BatchResult'), minItems: 1, maxItems: BATCH_MAX },
      meta: closed(
        {
          total: count,
          succeeded: count,
          failed: count,
          atomic: is.flag,
          dry_run: is.flag,
          truncated: {
            type: 'array',
            items: constant('data'),
            description: 'Only if the response became too large: later results do not show their records.',
          },
        },
        { required: ['total', 'succeeded', 'failed', 'atomic', 'dry_run'] },
      ),
    }),
    BatchResult: result,
  }
}

const count: Schema = { type: 'integer', minimum: 0, maximum: BATCH_MAX }

function batchOf(properties: Record<string, Schema>, required: readonly string[]): Schema {
  return closed(
    {
      operations: { type: 'array', items: closed(properties, { required }), minItems: 1, maxItems: BATCH_MAX },
      atomic: says(is.flagOrNull, 'All operations or none. Unless sent, each is a write of its own.'),
      dry_run: says(is.flagOrNull, 'Checks everything and writes nothing.'),
      return: {
        type: ['string', 'null'],
        enum: ['minimal', 'record', null],
        description: '`record`: each result also has `data`, the record in the form of the changes feed.',
      },
    },
    { required: ['operations'] },
  )
}

const result: Schema = closed(
  {
    index: says(is.whole, 'The place of the operation in the request.'),
    op,
    status: {
      type: 'integer',
      enum: [200, 201, 204, 404, 409, 412, 422],
      description: 'The status of the single request.',
    },
    id: says(orNull(ref('Id')), 'Null for a record that a dry run would create.'),
    updated_at: {
      type: ['string', 'null'],
      format: 'date-time',
      description: 'Null for a deletion. Of a failed condition: when the record was last changed.',
    },
    created: is.flag,
    data: { type: ['object', 'null'], additionalProperties: true, description: 'The record, if it was asked for.' },
    message: says(is.text, 'What is wrong, if the operation failed.'),
    errors: {
      type: 'object',
      additionalProperties: { type: 'array', items: is.text, minItems: 1 },
      description: 'Every problem, by its path in `data`.',
    },
    matches: { ...matches, minItems: 1 },
    merged_into: ref('MergedInto'),
  },
  { required: ['index', 'op', 'status'] },
)

/** The bodies of all errors. */
function errorSchemas(): Record<string, Schema> {
  return {
    Error: closed({ message }),
    NotFoundError: closed(
      { message, merged_into: ref('MergedInto') },
      { required: ['message'], description: 'The `merged_into` is there if the record was merged into a live one.' },
    ),
    MergedInto: closed({ id: ref('Id'), type: enumOf(resourceNames) }),
    PausedError: closed({
      message,
      upgrade_url: { type: 'string', format: 'uri', description: 'Where the owner can start a subscription.' },
    }),
    ConflictError: { ...closed({ message, matches }), required: ['message'] },
    PreconditionError: {
      ...closed({
        message,
        updated_at: {
          type: ['string', 'null'],
          format: 'date-time',
          description: 'When the record was last changed. Null if no record or several records hold the value.',
        },
        matches: { ...matches, minItems: 1 },
      }),
      required: ['message', 'updated_at'],
    },
    ValidationError: closed({
      message: says(is.text, 'The first problem, and how many more there are.'),
      errors: {
        type: 'object',
        description: 'Every problem by the dotted path of what has it, such as `custom_fields.emails.0`.',
        additionalProperties: { type: 'array', items: is.text, minItems: 1 },
        minProperties: 1,
      },
    }),
    SlowError: {
      ...closed({
        message,
        expensive: {
          type: 'array',
          items: is.text,
          description:
            'Which parts of the query are expensive, by path, the most expensive first. Missing where the database was away.',
        },
      }),
      required: ['message'],
    },
    ServerError: closed({
      message: constant('Server Error'),
      request_id: says(is.text, 'The `X-Request-Id` of the request, for the operator of the service.'),
    }),
  }
}
