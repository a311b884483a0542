import type { Schema } from '@kith/contract/shape'
import type { V1Route } from '../v1/record-routes.ts'
import { v1Routes } from '../v1/routes.ts'
import { bodyParts, bodySchemas } from './body-schemas.ts'
import { errorSchemas, nounSchemas } from './components.ts'
import { webhookEvents } from './event-operations.ts'
import { exampleParts } from './examples.ts'
import { filterSchemas } from './filter-schemas.ts'
import { info, tags } from './info.ts'
import { operationOf } from './operations.ts'
import { parameterParts } from './parameters.ts'
import { listSchemas, recordSchemas } from './record-schemas.ts'
import { refusalParts } from './refusals.ts'
import { headerParts } from './schema.ts'
import { valueSchemas } from './value-schemas.ts'

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
        ...nounSchemas(),
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
