import { registry } from '@kith/contract/registry'
import { type V1Route, v1Routes } from '../v1/routes.ts'
import { answerParts, answersOf, headerParts } from './answers.ts'
import { bodySchemas } from './body-schemas.ts'
import { definitionSchemas } from './definition-schemas.ts'
import { errorSchemas } from './error-schemas.ts'
import { exampleParts } from './examples.ts'
import { filterSchemas } from './filter-schemas.ts'
import { info, OTHER_TAGS, tagOf, tags } from './info.ts'
import { listSchemas } from './list-schemas.ts'
import { wordsFor } from './operations.ts'
import { parameterParts, parametersFor } from './parameters.ts'
import { recordSchemas } from './record-schemas.ts'
import { bodyFor, bodyParts } from './request-bodies.ts'
import type { Schema } from './schema.ts'
import { valueSchemas } from './value-schemas.ts'

type OpenApiDocument = {
  openapi: string
  info: Schema
  servers: readonly { url: string; description: string }[]
  security: readonly Schema[]
  tags: readonly Schema[]
  paths: Readonly<Record<string, Readonly<Record<string, Schema>>>>
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
    components: {
      securitySchemes: {
        token: {
          type: 'http',
          scheme: 'bearer',
          description: 'An access token: `kith_` and 46 letters and digits. It is made under Settings > Access Tokens.',
        },
      },
      parameters: parameterParts(),
      headers: headerParts(),
      requestBodies: bodyParts(),
      responses: answerParts(),
      schemas: {
        ...recordSchemas(),
        ...valueSchemas(),
        ...listSchemas(),
        ...definitionSchemas(),
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
    const path = `/v1${route.path.replace(':id', '{id}')}`
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(route) }
  }
  return paths
}

function operationOf(route: V1Route): Schema {
  const { handler } = route
  const resource = route.resource ? registry[route.resource] : null
  const { operationId, summary, description } = wordsFor(route, resource)
  const parameters = parametersFor(handler, resource)
  const requestBody = bodyFor(handler, resource)
  return {
    operationId,
    summary,
    description,
    tags: [resource ? tagOf(resource) : OTHER_TAGS[handler === 'user' ? 'user' : 'custom-fields']],
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(requestBody ? { requestBody } : {}),
    responses: answersOf(handler, resource),
  }
}
