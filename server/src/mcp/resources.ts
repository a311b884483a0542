import { suggestion } from '@kith/contract/nearest'
import { refuse } from '@kith/contract/refusal'
import { registry, resources } from '@kith/contract/registry'
import { resourceNames } from '@kith/contract/resource'
import type { Scope } from '../scope/scope.ts'
import { describeResource } from './describe.ts'
import { summarizeWorkspace } from './workspace-summary.ts'

const WORKSPACE = 'kith://workspace'
const SCHEMAS = 'kith://schema/'
const JSON_TYPE = 'application/json'

type ListedResource = { uri: string; name: string; title: string; description: string; mimeType: string }

/** What clients can show to a model without a tool call: the schemas and a summary of the workspace. */
export function listResources(): ListedResource[] {
  return [
    {
      uri: WORKSPACE,
      name: 'workspace',
      title: 'The workspace',
      description: 'Who you are, how many records there are, and which custom fields they have.',
      mimeType: JSON_TYPE,
    },
    ...resources.map(({ type }) => ({
      uri: SCHEMAS + type,
      name: `schema-${type}`,
      title: `Schema of ${type}`,
      description: `Attributes, relations, custom fields, operators and examples of ${type}.`,
      mimeType: JSON_TYPE,
    })),
  ]
}

export async function readResource(scope: Scope, uri: string) {
  const text = JSON.stringify(await contentOf(scope, uri))
  return { contents: [{ uri, mimeType: JSON_TYPE, text }] }
}

function contentOf(scope: Scope, uri: string): Promise<object> {
  if (uri === WORKSPACE) return summarizeWorkspace(scope)
  const name = resourceNames.find((known) => uri === SCHEMAS + known)
  if (name) return describeResource(scope, registry[name])
  const known = listResources().map((resource) => resource.uri)
  const message = `There is no resource ${uri.slice(0, 200)}. Known: ${known.join(', ')}.${suggestion(uri, known)}`
  return refuse({ kind: 'not_found', message })
}
