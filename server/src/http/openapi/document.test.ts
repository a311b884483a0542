import { readFileSync } from 'node:fs'
import type { ChangeAttributes } from '@kith/contract/changes/change-entry'
import { namedResourcesOf, storedKinds } from '@kith/contract/changes/change-kind'
import type { FieldDefinition } from '@kith/contract/field-definition'
import { valueKinds } from '@kith/contract/field-type'
import { fieldTypeNames } from '@kith/contract/field-type-name'
import { fieldTypes } from '@kith/contract/field-types'
import { DELIVERY_MAX_BYTES } from '@kith/contract/limits'
import { generalSchema, registry, schemaOf } from '@kith/contract/registry'
import { OWN_FROM, type ResourceRow } from '@kith/contract/resource'
import { describe, expect, it } from 'vitest'
import { problemsIn } from '../../../../scripts/write-openapi.ts'
import { problemsOf, schemasOf } from '../../../test/openapi-schemas.ts'
import { isLong } from '../../../test/run-length.ts'
import { startingFieldsOf } from '../../fields/definitions.ts'
import { eventOf, resetEvent, signedHeaders, testEvent } from '../../webhooks/attempt.ts'
import { v1Routes } from '../v1/routes.ts'
import { type OpenApiDocument, openApiDocument, writeDocument } from './document.ts'
import { eventParameters } from './event-operations.ts'
import { sampleOf } from './sample-records.ts'
import { typesOf } from './schema.ts'

const document = openApiDocument()

/** Names that would be those of something else, if own resources had no names of their own. */
const nasty: Readonly<Record<string, string>> = {
  deliveries: 'delivery',
  options: 'option',
  sales_orders: 'sales_order',
  sales_order_files: 'sales_order_file',
  sales_order_lists: 'sales_order_list',
  projekte: 'webhook',
}

const at = '2026-01-01T00:00:00.000Z'
const looks = { description: null, icon: null, color: null, archived_at: null, since: null }
const rows = Object.entries(nasty).map(([code, singular_code], index): ResourceRow => {
  const names = { code, singular_code, name: code, singular: singular_code }
  return { number: OWN_FROM + index, ...names, ...looks, position: index + 1, created_at: at, updated_at: at }
})

/** A field of each type for each of some resources, which take seconds to check. Choices have two options, or none. */
const fields = ['companies', 'tasks', 'deliveries', 'sales_orders'].flatMap((entity_type, resource) =>
  fieldTypeNames.map((type, index): FieldDefinition => {
    const { hasOptions, repeatable, canBeUnique, refersTo, settings = {} } = fieldTypes[type]
    const code = type.replace('-', '_')
    const labels = hasOptions && resource > 0 ? ['A', 'B'] : []
    const inverse = { code: `${code}_of_${entity_type}`, name: 'Inverse' }
    return {
      id: sampleOf(registry.notes).id,
      number: resource * 100 + index,
      key: code,
      entity_type,
      code,
      name: type,
      type,
      description: resource > 1 ? 'What it is' : null,
      required: resource === 2,
      unique: canBeUnique,
      multiple: repeatable !== undefined && resource % 2 === 0,
      max_values: 3,
      position: index + 1,
      options: labels.map((label) => ({ id: `01kb8w1a2b3c4d5e6f7g8h9j0${label.toLowerCase()}`, label, color: null })),
      system: false,
      settings: refersTo === 'records' ? { target: 'sales_orders', inverse } : settings,
      created_at: at,
      updated_at: at,
    }
  }),
)

const ofWorkspace = openApiDocument('https://crm.acme.com/api', schemaOf(rows, fields))

describe.each([
  { name: 'general', document, schemas: { problemsOf } },
  { name: "a workspace's", document: ofWorkspace, schemas: schemasOf(ofWorkspace) },
])('the $name OpenAPI document', ({ document, schemas: { problemsOf } }) => {
  it('has no errors and no warnings by the recommended rules of Redocly', async () => {
    // With a real server URL: the rules reject the localhost of the file in the repository.
    const servers = [{ url: 'https://crm.acme.com/api', description: 'This installation' }]
    expect(await problemsIn({ ...document, servers })).toEqual([])
  })

  it('gives every operation an id of its own', () => {
    const all = [...Object.values(document.paths), ...Object.values(document.webhooks)]
    const ids = all.flatMap((operations) => Object.values(operations).map((operation) => operation.operationId))
    expect(new Set(ids).size).toBe(ids.length)
  })

  it('has schemas that a validator takes in its strict mode', () => {
    for (const name of Object.keys(document.components.schemas ?? {})) {
      expect(() => problemsOf({ $ref: `#/components/schemas/${name}` }, null), name).not.toThrow()
    }
  })

  it('has no schema that contains itself: several generators fail on recursion', () => {
    const schemas = document.components.schemas ?? {}
    const refsIn = (schema: unknown) =>
      [...JSON.stringify(schema).matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name = '']) => name)
    const closedLoops: string[] = []
    const done = new Set<string>()
    const visit = (name: string, above: readonly string[]): void => {
      if (above.includes(name)) closedLoops.push([...above, name].join(' > '))
      if (above.includes(name) || done.has(name)) return
      for (const next of refsIn(schemas[name])) visit(next, [...above, name])
      done.add(name)
    }
    for (const name of Object.keys(schemas)) visit(name, [])
    expect(closedLoops).toEqual([])
  })

  it('has an example with every body, each of which its schema accepts', () => {
    const media = mediaIn(document)
    expect(media.length).toBeGreaterThan(90)
    for (const { schema, example, examples } of media) {
      const values =
        example === undefined ? Object.values(examples ?? {}).map((one) => exampleAt(one, document)) : [example]
      expect(values.length, JSON.stringify(schema)).toBeGreaterThan(0)
      for (const value of values) expect(problemsOf(schema, value), JSON.stringify(value)).toEqual([])
    }
  })
})

describe("a workspace's OpenAPI document", () => {
  it('is written in parts as it is made at once', async () => {
    const text = await writeDocument('https://crm.acme.com/api', schemaOf(rows, fields))
    expect(text).toBe(JSON.stringify(ofWorkspace))
  })

  it('leaves nothing open that the workspace has told', () => {
    const { schemas = {} } = ofWorkspace.components
    const open = Object.entries(schemas).filter(([name, schema]) => {
      return /^(Own|Company|Task).*(Attributes|Relationships|CustomFields)/.test(name) && schema.additionalProperties
    })
    expect(open).toEqual([])
    for (const name of ['OwnRecord', 'CustomFieldValue', 'CustomFieldInput', 'NamedRecord']) {
      expect(schemas).not.toHaveProperty(name)
    }
  })

  it('has names of its own for own resources, and those of built-in ones as everywhere', () => {
    const names = (of: OpenApiDocument) => Object.keys(of.components.schemas ?? {})
    const added = names(ofWorkspace).filter((name) => !names(document).includes(name))
    expect(added.filter((name) => !name.startsWith('Own'))).toEqual([
      'TaskIdentifier',
      // With reference fields, the filter of fields has a form for each level of relations.
      ...['Company', 'Task'].flatMap((one) => ['R1', 'R0'].map((level) => `${one}CustomFieldsFilter${level}`)),
    ])
    expect(names(document).filter((name) => name.startsWith('Own'))).toEqual(['OwnRecord', 'OwnRecordDocument'])
    expect(ofWorkspace.paths['/v1/options/{id}']?.get?.parameters).toContainEqual({
      $ref: '#/components/parameters/Id',
    })
  })
})

describe('the OpenAPI document', () => {
  it('is checked in as docs/openapi.json: run npm run openapi', () => {
    const checkedIn = readFileSync(new URL('../../../../docs/openapi.json', import.meta.url), 'utf8')
    expect(checkedIn).toBe(`${JSON.stringify(document, null, 2)}\n`)
  })

  it.runIf(isLong)('is not written with a reference to nothing or a part that nothing uses', async () => {
    const broken = openApiDocument('https://crm.acme.com/api')
    const schemas = { ...broken.components.schemas, Unused: { type: 'string' } }
    const found = await problemsIn({
      ...broken,
      paths: JSON.parse(JSON.stringify(broken.paths).replace('/schemas/CompanyList"', '/schemas/Missing"')),
      components: { ...broken.components, schemas },
    })
    expect(found.filter((problem) => problem.endsWith('(no-unresolved-refs)'))).toHaveLength(1)
    expect(found).toContain('#/components/schemas/Unused: Component: "Unused" is never used. (no-unused-components)')
  })

  it('describes every endpoint and no other', () => {
    const described = Object.entries(document.paths).flatMap(([path, operations]) =>
      Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
    )
    const routes = v1Routes.map(({ method, path }) => `${method} /v1${path.replace(/:(\w+)/g, '{$1}')}`)
    expect(described.sort()).toEqual(routes.sort())
  })

  it('describes every event that webhooks receive, with its headers', () => {
    const kinds = [...storedKinds, 'left']
    const types = namedResourcesOf(generalSchema).flatMap((resource) => kinds.map((kind) => `${resource}.${kind}`))
    // Definitions and members have no filter.
    const isSent = (type: string) =>
      !['schemas.left', 'custom_fields.left', 'users.left', 'files.left', 'comments.left'].includes(type)
    const described = Object.keys(document.webhooks)
    expect(described.sort()).toEqual([...types.filter(isSent), 'feed.reset', 'webhook.test'].sort())
    const headers = Object.values(eventParameters).map(({ name }) => name)
    const event = { id: '01kb8w4d5e6f7g8h9j0k1m2n3r', type: 'x', body: '{}' }
    const sent = signedHeaders({ event, endpoint_id: 'x', number: 1, replay: true, at: new Date(), secrets: [] })
    const usual = ['content-type', 'user-agent']
    expect(headers.sort()).toEqual(
      Object.keys(sent)
        .filter((name) => !usual.includes(name))
        .sort(),
    )
  })

  it('has schemas of events that accept what is sent', () => {
    const id = '01kb8w4d5e6f7g8h9j0k1m2n3r'
    const at = '2026-11-17T09:30:00.125Z'
    const resync = 'https://crm.example.com/api/v1/changes?cursor=start'
    const attributes: ChangeAttributes<unknown> = {
      kind: 'left',
      resource: 'people',
      sequence: 7,
      record_id: id,
      at,
      changed: ['name'],
      merged_into: null,
      external_ids: {},
      origin: null,
    }
    const large = { id, type: 'people', attributes: { name: 'x'.repeat(DELIVERY_MAX_BYTES) } }
    const events = {
      ChangeEvent: [
        eventOf({ id, attributes }, 'c'),
        eventOf({ id, attributes: { ...attributes, record: large } }, 'c'),
      ],
      FeedResetEvent: [resetEvent({ id, at, reason: 'restored', resync, cursor: 'c' })],
      WebhookTestEvent: [testEvent(id, { at, endpoint_id: id })],
    }
    for (const [name, sent] of Object.entries(events)) {
      for (const { body } of sent)
        expect(problemsOf({ $ref: `#/components/schemas/${name}` }, JSON.parse(body))).toEqual([])
    }
  })
})

describe('the examples', () => {
  it.each(Object.values(registry))('of $type have the custom fields of a new workspace', ({ type }) => {
    const codes = startingFieldsOf(type).map((field) => field.code)
    expect(Object.keys(sampleOf(registry[type]).custom_fields)).toEqual(codes)
    expect(codes).toEqual(expect.arrayContaining(Object.keys(sampleOf(registry[type]).written)))
  })
})

describe('the kinds of values', () => {
  it('take in every field type', () => {
    expect(valueKinds.flatMap((kind) => typesOf(kind)).sort()).toEqual([...fieldTypeNames].sort())
  })

  it.each(fieldTypeNames)('put %s together with what is filtered alike', (type) => {
    const [first = type] = typesOf(fieldTypes[type].kind)
    const { operators, hosts, list } = fieldTypes[type]
    expect({ operators, hosts, list }).toEqual({
      operators: fieldTypes[first].operators,
      hosts: fieldTypes[first].hosts,
      list: fieldTypes[first].list,
    })
  })
})

type Media = { schema: object; example?: unknown; examples?: Record<string, { $ref: string }> }

/** Every media type of every body. */
function mediaIn(part: unknown): Media[] {
  if (typeof part !== 'object' || part === null) return []
  // Only bodies have a `content`, which is an object of media types.
  const own = 'content' in part ? Object.values(part.content as Record<string, Media>) : []
  return [...own, ...Object.values(part).flatMap(mediaIn)]
}

function exampleAt({ $ref }: { $ref: string }, document: OpenApiDocument): unknown {
  const name = $ref.slice('#/components/examples/'.length)
  return document.components.examples?.[name]?.value
}
