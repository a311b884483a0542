import { excerpt } from '@kith/contract/excerpt'
import { refuseValue } from '@kith/contract/refusal'
import { registry } from '@kith/contract/registry'
import { type Resource, resourceNames } from '@kith/contract/resource'
import type { Scope } from '../scope/scope.ts'
import type { Installation } from './tool.ts'

/** The id of a record of any resource, for tools that take a single id. */
export function documentId(resource: string, id: string): string {
  return `${resource}/${id}`
}

/** The URL of the record in the application. */
export function pageOf(scope: Scope, { app_url }: Installation, documentId: string): string {
  return `${app_url}/${scope.workspace.slug}/${documentId}`
}

export function parseDocumentId(text: string): { resource: Resource; id: string } {
  const [name, id, ...more] = text.split('/')
  const known = resourceNames.find((candidate) => candidate === name)
  if (known !== undefined && id !== undefined && more.length === 0) return { resource: registry[known], id }
  const example = 'companies/01kb8x2m4n6p8q0r2s4t6v8w0x'
  const message =
    `The id ${excerpt(text)} must be one that search gave: a resource, a slash and an ID, ` +
    `such as ${example}. Resources: ${resourceNames.join(', ')}.`
  return refuseValue('id', message)
}
