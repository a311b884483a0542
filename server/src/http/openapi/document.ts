import { type V1Route, v1Routes } from '../v1/routes.ts'
import { accountSchemas } from './account-schemas.ts'
import { batchSchemas } from './batch-schemas.ts'
import { bodyParts, bodySchemas } from './body-schemas.ts'
import { changeSchemas } from './change-schemas.ts'
import { definitionSchemas } from './definition-schemas.ts'
import { errorSchemas } from './error-schemas.ts'
import { webhookEvents } from './event-operations.ts'
import { eventSchemas } from './event-schemas.ts'
import { exampleParts } from './examples.ts'
import { filterSchemas } from './filter-schemas.ts'
import { headerParts } from './headers.ts'
import { info, tags } from './info.ts'
import { jobSchemas } from './job-schemas.ts'
import { listSchemas } from './list-schemas.ts'
import { mergeSchemas } from './merge-schemas.ts'
import { operationOf } from './operations.ts'
import { parameterParts } from './parameters.ts'
import { recordSchemas } from './record-schemas.ts'
import { refusalParts } from './refusals.ts'
import type { Schema } from './schema.ts'
import { schemaSchemas } from './schema-schemas.ts'
import { valueSchemas } from './value-schemas.ts'
import { webhookSchemas } from './webhook-schemas.ts'

type OpenApiDocument = {
  openapi: string
  info: Schema
  servers: readonly { url: string; description: string }[]
  security: readonly Schema[]
  tags: readonly Schema[]
  paths: Readonly<Record<string, Readonly<Record<string, Schema>>>>
  /** What Kith sends to others. */
  webhooks: Readonly<Record<string, Readonly<Record<string, Schema>>>>
  components: Readonly<Record<string, Readonly<Record<string, Schema>>>>
}

/** Where the service is when nothing was configured. */
const USUAL_SERVER = 'http://localhost:3000/api'

/** The whole REST interface in OpenAPI 3.1, made from what the service itself works by. */
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
