import type { FieldDefinition } from '@kith/contract/field-definition'
import type { Issue } from '@kith/contract/issue'
import { isObject, isUnsent } from '@kith/contract/raw-input'
import type { ResourceName } from '@kith/contract/resource'
import type { Answer } from '../../calls/answer.ts'
import { jsonIn, optionalJsonIn, type V1Handler, type V1Request } from '../../calls/call.ts'
import { fieldObject, fieldTag, jsonSchemaOf, jsonSchemaOfAll } from '../../fields/json-schema.ts'
import { archiveField, defineField, deleteField, restoreField, updateField } from '../../schema/define.ts'
import { type FieldAddress, orderFields, withVersion } from '../../schema/managed.ts'
import { createOption, type OptionAddress, removeOption, updateOption } from '../../schema/one-option.ts'
import {
  archiveResource,
  type ChangedResource,
  createResource,
  deleteResource,
  orderResources,
  type ResourceAddress,
  restoreResource,
  updateResource,
} from '../../schema/own-resources.ts'
import { readSchemas, schemaObject } from '../../schema/read-schema.ts'
import type { Scope } from '../../scope/scope.ts'
import { answerDocument, askedAmong, askedInQuery, ifMatch, nothingIn, resourceOf } from './requests.ts'

const VERSION = 'X-Schema-Version'

/** The schema of each resource, and changes of the definitions of custom fields. */
export const schemaHandlers = {
  schemas: async (scope, request) => {
    const read = await readSchemas(scope, undefined, askedInQuery(request))
    const document = 'schemas' in read ? { data: read.schemas } : jsonSchemaOfAll(read.resources, request.path)
    return tagged(read.version, document)
  },
  schema: async (scope, request) => {
    const read = await readSchemas(scope, codeIn(request), askedInQuery(request))
    if ('schemas' in read) return tagged(read.version, { data: read.schemas[0] })
    const [document] = read.resources.map((resource) => jsonSchemaOf(resource, request.path))
    return tagged(read.version, { ...document })
  },
  'create-resource': changing(async (scope, request) => {
    const sending = { input: jsonIn(request.body), issues: issuesIn(request) }
    const created = await createResource(scope, sending)
    const answer = answerResource(201, created)
    return { ...answer, headers: { ...answer.headers, Location: `${request.path}/${created.resource.type}` } }
  }),
  'update-resource': changing(async (scope, request) => {
    return answerResource(200, await updateResource(scope, resourceIn(request), optionalJsonIn(request.body)))
  }),
  'remove-resource': changing(async (scope, request) => {
    const { permanently, issues } = permanentlyIn(request)
    const address = { ...resourceIn(request), issues }
    if (!permanently) await archiveResource(scope, address)
    else await deleteResource(scope, address)
    return { status: 204, body: null, effects: permanently ? [{ kind: 'data_deleted' }] : [] }
  }),
  'restore-resource': changing(async (scope, request) => {
    return answerResource(200, await restoreResource(scope, { ...resourceIn(request), issues: nothingIn(request) }))
  }),
  'order-resources': changing(async (scope, request) => {
    const sending = { input: jsonIn(request.body), issues: issuesIn(request) }
    const ordered = await orderResources(scope, sending)
    return answerDocument(200, { data: ordered.resources.map((one) => schemaObject(one, ordered.version)) })
  }),
  'create-field': changing(async (scope, request) => {
    const sending = { input: jsonIn(request.body), issues: issuesIn(request) }
    return answerField(201, await defineField(scope, typeOf(scope, request), sending))
  }),
  'update-field': changing(async (scope, request) => {
    const input = optionalJsonIn(request.body)
    const { field, duplicates } = await updateField(scope, addressIn(scope, request), input)
    return answerField(200, field, isObject(input) && input.unique === true ? { duplicates } : undefined)
  }),
  'restore-field': changing(async (scope, request) => {
    const address = { ...addressIn(scope, request), issues: nothingIn(request) }
    return answerField(200, await restoreField(scope, address))
  }),
  'remove-field': changing(async (scope, request) => {
    const { permanently, issues } = permanentlyIn(request)
    const address = { ...addressIn(scope, request), issues }
    await (permanently ? deleteField(scope, address) : archiveField(scope, address))
    return { status: 204, body: null }
  }),
  'create-option': changing(async (scope, request) => {
    const { option, created } = await createOption(scope, addressIn(scope, request), jsonIn(request.body))
    return answerDocument(created ? 201 : 200, { data: option })
  }),
  'update-option': changing(async (scope, request) => {
    const data = await updateOption(scope, optionIn(scope, request), optionalJsonIn(request.body))
    return answerDocument(200, { data })
  }),
  'remove-option': changing(async (scope, request) => {
    const cleared = await removeOption(scope, optionIn(scope, request))
    return { status: 204, body: null, headers: { 'X-Records-Changed': String(cleared) } }
  }),
  'order-fields': changing(async (scope, request) => {
    const sending = { input: jsonIn(request.body), issues: issuesIn(request) }
    const ordered = await orderFields(scope, typeOf(scope, request), sending)
    return answerDocument(200, { data: ordered.map(fieldObject) })
  }),
} satisfies Record<string, V1Handler>

/** The version is also the strong ETag. */
function tagged(version: number, document: object): Answer {
  return { ...answerDocument(200, document), headers: { ETag: `"${version}"`, [VERSION]: String(version) } }
}

/** The answer to a change contains the version after it. */
function changing(change: V1Handler): V1Handler {
  return async (scope, request) => {
    const { changed, version } = await withVersion(scope, (inside) => change(inside, request))
    const headers = { ...changed.headers, [VERSION]: String(version) }
    return { ...changed, headers, effects: [...(changed.effects ?? []), { kind: 'fields_changed' }] }
  }
}

function answerField(status: number, field: FieldDefinition, meta?: object): Answer {
  const document = { data: fieldObject(field), ...(meta ? { meta } : {}) }
  return { ...answerDocument(status, document), headers: { ETag: fieldTag(field) } }
}

/** The resource that the path names, which may be archived. */
function codeIn({ resource }: V1Request): string {
  return resource ?? ''
}

function resourceIn(request: V1Request): ResourceAddress {
  return { code: codeIn(request), expected: ifMatch(request), issues: issuesIn(request) }
}

/** A resource as the change left it. */
function answerResource(status: number, { resource, version }: ChangedResource): Answer {
  const data = schemaObject(resource, version)
  return { ...answerDocument(status, { data }), headers: { ETag: `"${resource.row.updated_at}"` } }
}

function typeOf(scope: Scope, request: V1Request): ResourceName {
  return resourceOf(scope, request).type
}

function addressIn(scope: Scope, request: V1Request): FieldAddress {
  const code = request.params.code ?? ''
  return { entity_type: typeOf(scope, request), code, expected: ifMatch(request), issues: issuesIn(request) }
}

function optionIn(scope: Scope, request: V1Request): OptionAddress {
  return { ...addressIn(scope, request), option_id: request.params.option_id ?? '' }
}

/** These requests take no parameters. */
function issuesIn(request: V1Request): readonly Issue[] {
  return askedInQuery(request, true).issues
}

function permanentlyIn(request: V1Request): { permanently: boolean; issues: readonly Issue[] } {
  const { raw, issues } = askedAmong(request, ['permanently'])
  const { permanently } = raw
  if (!isUnsent(permanently) && permanently !== 'true' && permanently !== 'false') {
    issues.push({ path: 'permanently', message: 'The permanently must be true or false.' })
  }
  return { permanently: permanently === 'true', issues }
}
