import { setImmediate } from 'node:timers/promises'
import { generalSchema } from '@kith/contract/registry'
import type { Resource, Schema as Resources } from '@kith/contract/resource'
import type { Schema } from '@kith/contract/shape'
import { type DescribedRoute, describedRoutes } from '../v1/routes.ts'
import { bodyParts, bodySchemas } from './body-schemas.ts'
import { errorSchemas, nounSchemas } from './components.ts'
import { webhookEvents } from './event-operations.ts'
import { exampleParts } from './examples.ts'
import { filterSchemas, resourceFilters } from './filter-schemas.ts'
import { info, tagsOf } from './info.ts'
import { operationOf } from './operations.ts'
import { parameterParts } from './parameters.ts'
import { listSchemas, recordSchemas } from './record-schemas.ts'
import { refusalParts } from './refusals.ts'
import { headerParts } from './schema.ts'
import { customFieldSchemas, valueSchemas } from './value-schemas.ts'

export type OpenApiDocument = {
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

/**
 * The whole REST API in OpenAPI 3.1, generated from the declarations that the service itself uses: of all workspaces,
 * or of the one that has these resources.
 */
export function openApiDocument(server = USUAL_SERVER, resources: Resources = generalSchema): OpenApiDocument {
  const { paths, webhooks, ...components } = partsOf(server, resources)
  return {
    ...headOf(server, resources),
    paths: joined(paths),
    webhooks: joined(webhooks),
    components: Object.fromEntries(Object.entries(components).map(([name, parts]) => [name, joined(parts)])),
  }
}

/** The same as text. Other requests are answered while it is written, which takes long for a large workspace. */
export async function writeDocument(server: string, resources: Resources): Promise<string> {
  const { paths, webhooks, ...components } = partsOf(server, resources)
  const inside = await written(components)
  const outside = await written({ paths, webhooks })
  return `${JSON.stringify(headOf(server, resources)).slice(0, -1)},${outside},"components":{${inside}}}`
}

/** Makes an object in a short time. Objects in one list have different keys, and are one in the document. */
type Section<T> = () => Readonly<Record<string, T>>

function joined<T>(parts: readonly Section<T>[]): Readonly<Record<string, T>> {
  return Object.assign({}, ...parts.map((make) => make()))
}

async function written(all: Readonly<Record<string, readonly Section<unknown>[]>>): Promise<string> {
  const members: string[] = []
  for (const [name, parts] of Object.entries(all)) {
    const texts: string[] = []
    for (const make of parts) {
      await setImmediate()
      const text = JSON.stringify(make()).slice(1, -1)
      if (text !== '') texts.push(text)
    }
    members.push(`${JSON.stringify(name)}:{${texts.join(',')}}`)
  }
  return members.join(',')
}

function headOf(server: string, resources: Resources) {
  return {
    openapi: '3.1.0',
    info,
    servers: [{ url: server, description: 'This installation' }],
    security: [{ token: [] }],
    tags: tagsOf(resources),
  }
}

function partsOf(server: string, resources: Resources) {
  const groups = describedRoutes(resources)
  const each = (make: (resource: Resource) => [string, Schema][]) =>
    [...resources.values()].map((resource) => () => Object.fromEntries(make(resource)))
  return {
    paths: groups.map((routes) => () => pathsOf(routes, resources)),
    webhooks: [() => webhookEvents(resources)],
    securitySchemes: [() => securitySchemes],
    parameters: [() => parameterParts(resources)],
    headers: [() => headerParts],
    requestBodies: [() => bodyParts(groups.flat(), resources)],
    responses: [() => refusalParts(resources)],
    schemas: [
      () => recordSchemas(resources),
      () => valueSchemas(resources),
      ...each(customFieldSchemas),
      () => ({ ...listSchemas(resources), ...nounSchemas(resources), ...bodySchemas(resources) }),
      () => filterSchemas(resources),
      ...each(resourceFilters),
      errorSchemas,
    ],
    examples: [() => exampleParts(server, resources)],
  }
}

const securitySchemes: Record<string, Schema> = {
  token: {
    type: 'http',
    scheme: 'bearer',
    description: 'An access token: `kith_` and 46 letters and digits. It is made under Settings > Access Tokens.',
  },
}

function pathsOf(routes: readonly DescribedRoute[], resources: Resources): OpenApiDocument['paths'] {
  const paths: Record<string, Record<string, Schema>> = {}
  for (const { route, text } of routes) {
    const path = `/v1${route.path.replace(/:(\w+)/g, '{$1}')}`
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(route, text, resources) }
  }
  return paths
}
