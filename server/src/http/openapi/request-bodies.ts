import { resources } from '@kith/contract/registry'
import type { Resource } from '@kith/contract/resource'
import type { HandlerName } from '../v1/handlers.ts'
import { JSON_API, JSON_ONLY } from './answers.ts'
import { exampleRef } from './examples.ts'
import { capital, oneOf } from './names.ts'
import { mapped, ref, refTo, type Schema } from './schema.ts'

const written = ['create', 'update', 'upsert', 'query'] as const

/** Every request body, by name. */
export function bodyParts(): Record<string, Schema> {
  const names = resources.flatMap((resource) => written.map((handler) => [nameOf(handler, resource), handler] as const))
  return Object.fromEntries(names.map(([name, handler]) => [name, bodyOf(name, handler)]))
}

/** The body that an endpoint takes, where it takes one. */
export function bodyFor(handler: HandlerName, resource: Resource | null): Schema | undefined {
  const own = written.find((name) => name === handler)
  return own && resource ? refTo('requestBodies', nameOf(own, resource)) : undefined
}

function nameOf(handler: (typeof written)[number], resource: Resource): string {
  return oneOf(resource.type) + capital(handler)
}

function bodyOf(name: string, handler: (typeof written)[number]): Schema {
  const examples = mapped(handler === 'create' ? [name, `${name}Linked`] : [name], exampleRef)
  const content = mapped([JSON_ONLY, JSON_API], () => ({ schema: ref(name), examples }))
  return { required: handler === 'create' || handler === 'upsert', content }
}
