import { excerpt } from '@kith/contract/excerpt'
import { refuse } from '@kith/contract/refusal'
import { registry } from '@kith/contract/registry'
import { type Resource, resourceNames } from '@kith/contract/resource'
import type { Scope } from '../scope/scope.ts'
import type { Installation } from './tool.ts'

/** One text that names a record of any resource, for tools that know records by one id alone. */
export function documentId(resource: string, id: string): string {
  return `${resource}/${id}`
}

/** The page of the application on which a record is shown. */
export function pageOf(scope: Scope, { app_url }: Installation, resource: string, id: string): string {
  return `${app_url}/${scope.workspace.slug}/${resource}/${id}`
}

export function parseDocumentId(text: string): { resource: Resource; id: string } {
  const [name, id, ...more] = text.split('/')
  const known = resourceNames.find((candidate) => candidate === name)
  if (known !== undefined && id !== undefined && more.length === 0) return { resource: registry[known], id }
  const message = `The id ${excerpt(text)} must be one that search gave: a resource, a slash and an ID, such as companies/01kb8x2m4n6p8q0r2s4t6v8w0x. Resources: ${resourceNames.join(', ')}.`
  return refuse({ kind: 'invalid', issues: [{ path: 'id', message }] })
}
