import { reportUnknown } from '@kith/contract/answer-options'
import { boundedReport } from '@kith/contract/bounded-report'
import type { FieldDefinition } from '@kith/contract/field-definition'
import { type Issue, reportInto } from '@kith/contract/issue'
import { isObject, isUnsent } from '@kith/contract/raw-input'
import { resources } from '@kith/contract/registry'
import type { ResourceName } from '@kith/contract/resource'
import type { Answer } from '../../calls/answer.ts'
import type { V1Request } from '../../calls/call.ts'
import { archiveField, restoreField } from '../../fields/archive.ts'
import { defineField } from '../../fields/define.ts'
import type { FieldAddress } from '../../fields/find-field.ts'
import { jsonSchemaOf, jsonSchemaOfAll } from '../../fields/json-schema.ts'
import { createOption, type OptionAddress, removeOption, updateOption } from '../../fields/one-option.ts'
import { orderCodes } from '../../fields/order.ts'
import { fieldObject, fieldTag } from '../../fields/present.ts'
import { readSchemas } from '../../fields/read-schema.ts'
import { deleteField } from '../../fields/remove.ts'
import { updateField } from '../../fields/update.ts'
import { withVersion } from '../../fields/with-version.ts'
import type { Scope } from '../../scope/scope.ts'
import { jsonIn, optionalJsonIn } from '../wire/body.ts'
import { answerDocument } from './json-api.ts'
import { askedInQuery, ifMatch, nothingIn, resourceOf } from './requests.ts'

/** The schema of each resource, and changes of the definitions of custom fields. */
export const schemaHandlers = {
  schemas: async (scope: Scope, request: V1Request): Promise<Answer> => {
    const read = await readSchemas(scope, resources, askedInQuery(request))
    const document = 'schemas' in read ? { data: read.schemas } : jsonSchemaOfAll(read.described, request.path)
    return tagged(read.version, document)
  },
  schema: async (scope, request) => {
    const read = await readSchemas(scope, [resourceOf(request)], askedInQuery(request))
    if ('schemas' in read) return tagged(read.version, { data: read.schemas[0] })
    const [document] = read.described.map((described) => jsonSchemaOf(described, request.path))
    return tagged(read.version, { ...document })
  },
  'create-field': (scope, request) => {
    const sending = { input: jsonIn(request.body), issues: issuesIn(request) }
    return changing(scope, async (inside) => answerField(201, await defineField(inside, typeOf(request), sending)))
  },
  'update-field': (scope, request) =>
    changing(scope, async (inside) => {
      const input = optionalJsonIn(request.body)
      const { field, duplicates } = await updateField(inside, addressIn(request), input)
      return answerField(200, field, isObject(input) && input.unique === true ? { duplicates } : undefined)
    }),
  'restore-field': (scope, request) =>
    changing(scope, async (inside) => {
      const address = { ...addressIn(request), issues: nothingIn(request) }
      return answerField(200, await restoreField(inside, address))
    }),
  'remove-field': (scope, request) =>
    changing(scope, async (inside) => {
      const { permanently, issues } = permanentlyIn(request)
      const address = { ...addressIn(request), issues }
      await (permanently ? deleteField(inside, address) : archiveField(inside, address))
      return { status: 204, body: null }
    }),
  'create-option': (scope, request) =>
    changing(scope, async (inside) => {
      const { option, created } = await createOption(inside, addressIn(request), jsonIn(request.body))
      return answerDocument(created ? 201 : 200, { data: option })
    }),
  'update-option': (scope, request) =>
    changing(scope, async (inside) => {
      const data = await updateOption(inside, optionIn(request), optionalJsonIn(request.body))
      return answerDocument(200, { data })
    }),
  'remove-option': (scope, request) =>
    changing(scope, async (inside) => {
      const cleared = await removeOption(inside, optionIn(request))
      return { status: 204, body: null, headers: { 'X-Records-Changed': String(cleared) } }
    }),
  'order-fields': (scope, request) =>
    changing(scope, async (inside) => {
      const sending = { input: jsonIn(request.body), issues: issuesIn(request) }
      const ordered = await orderCodes(inside, typeOf(request), sending)
      return answerDocument(200, { data: ordered.map(fieldObject) })
    }),
} satisfies Record<string, (scope: Scope, request: V1Request) => Promise<Answer>>

const VERSION = 'X-Schema-Version'

/** The version is also the strong tag. */
function tagged(version: number, document: object): Answer {
  return { ...answerDocument(200, document), headers: { ETag: `"${version}"`, [VERSION]: String(version) } }
}

/** The answer to a change, with the version after it. */
async function changing(scope: Scope, change: (inside: Scope) => Promise<Answer>): Promise<Answer> {
  const { changed, version } = await withVersion(scope, change)
  return { ...changed, headers: { ...changed.headers, [VERSION]: String(version) } }
}

function answerField(status: number, field: FieldDefinition, meta?: object): Answer {
  const document = { data: fieldObject(field), ...(meta ? { meta } : {}) }
  return { ...answerDocument(status, document), headers: { ETag: fieldTag(field) } }
}

function typeOf(request: V1Request): ResourceName {
  return resourceOf(request).type
}

function addressIn(request: V1Request): FieldAddress {
  const code = request.params.code ?? ''
  return { entity_type: typeOf(request), code, expected: ifMatch(request), issues: issuesIn(request) }
}

function optionIn(request: V1Request): OptionAddress {
  return { ...addressIn(request), option_id: request.params.option_id ?? '' }
}

/** These requests take no parameters. */
function issuesIn(request: V1Request): readonly Issue[] {
  return askedInQuery(request, true).issues
}

function permanentlyIn(request: V1Request): { permanently: boolean; issues: readonly Issue[] } {
  const { raw, issues: found } = askedInQuery(request)
  const issues: Issue[] = [...found]
  const report = reportInto(issues)
  reportUnknown(raw, ['permanently'], boundedReport(report))
  const { permanently } = raw
  if (!isUnsent(permanently) && permanently !== 'true' && permanently !== 'false') {
    report('permanently', 'The permanently must be true or false.')
  }
  return { permanently: permanently === 'true', issues }
}
