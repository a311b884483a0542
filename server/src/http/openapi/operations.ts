import { RESTORE_DAYS } from '@kith/contract/limits'
import type { Resource } from '@kith/contract/resource'
import type { HandlerName } from '../v1/handlers.ts'
import type { Method, V1Route } from '../v1/routes.ts'
import { anyOne, listed, manyOf, oneOf } from './names.ts'

type Words = { operationId: string; summary: string; description: string }

/** What is said of an endpoint. */
export function wordsFor({ handler, method, abilities }: V1Route, resource: Resource | null): Words {
  const { operationId, summary, says } = resource ? ofRecords(handler, method, resource) : others(handler)
  const need = `Needs the ${listed(abilities).replace(', ', ' and ')} ${abilities.length > 1 ? 'abilities' : 'ability'}.`
  return { operationId, summary, description: `${says} ${need}` }
}

type Said = { operationId: string; summary: string; says: string }

function others(handler: HandlerName): Said {
  if (handler === 'user') {
    return {
      operationId: 'readUser',
      summary: 'Read the user',
      says: 'The user to whom the access token belongs: a cheap way to try a token.',
    }
  }
  return {
    operationId: 'listCustomFields',
    summary: 'List custom fields',
    says: 'The active custom fields of the workspace, in order of resource, then position: which codes `custom_fields` has, of which types they are and which options they offer. Fields are defined in the application.',
  }
}

function ofRecords(handler: HandlerName, method: Method, resource: Resource): Said {
  const { type, one } = resource
  const a = anyOne(resource)
  switch (handler) {
    case 'list':
      return {
        operationId: `list${manyOf(resource)}`,
        summary: `List ${type}`,
        says: `The ${type} of the workspace, newest first unless \`sort\` says otherwise.`,
      }
    case 'query':
      return {
        operationId: `query${manyOf(resource)}`,
        summary: `Query ${type}`,
        says: 'The same records as the list, with its parameters in a JSON body, so that large filters fit. It counts as a read. For the next page send the same body again with the next `page`, or with `cursor` set to `meta.next_cursor`; the addresses in `links` cannot be fetched.',
      }
    case 'create':
      return {
        operationId: `create${oneOf(type)}`,
        summary: `Create ${a}`,
        says: `The \`${resource.label}\` is required, and so are custom fields that the workspace has marked required.`,
      }
    case 'upsert':
      return {
        operationId: `upsert${oneOf(type)}`,
        summary: `Create or update ${a}`,
        says: `Looks for the ${one} that holds \`match.value\` in the unique custom field \`match.field\`. One is found: it is updated (200). None: it is created, the value included (201). Several: nothing is written (409). Upserts of one value at the same time make one record.`,
      }
    case 'read':
      return { operationId: `read${oneOf(type)}`, summary: `Read ${a}`, says: `One ${one} by its ID.` }
    case 'update': {
      const twin = `PUT and PATCH are the same partial update.`
      return {
        operationId: `${method === 'PUT' ? 'update' : 'patch'}${oneOf(type)}`,
        summary: method === 'PUT' ? `Update ${a}` : `Update ${a} (PATCH)`,
        says: `What is absent from the body is kept, \`null\` clears. ${twin} A record's own attributes can be sent back as they were read.`,
      }
    }
    default:
      return {
        operationId: `delete${oneOf(type)}`,
        summary: `Delete ${a}`,
        says: `The ${one} vanishes from every list, count, relation and filter. It can be restored in the application for ${RESTORE_DAYS} days.`,
      }
  }
}
