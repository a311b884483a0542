import { readFileSync } from 'node:fs'
import { valueKinds } from '@kith/contract/field-type'
import { fieldTypeNames } from '@kith/contract/field-type-name'
import { fieldTypes } from '@kith/contract/field-types'
import { registry, resources } from '@kith/contract/registry'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { describe, expect, it } from 'vitest'
import { problemsOf } from '../../../test/openapi-schemas.ts'
import { startingFields } from '../../fields/starting-fields.ts'
import { v1Routes } from '../v1/routes.ts'
import { openApiDocument } from './document.ts'
import { sampleOf } from './sample-records.ts'
import { typesOf } from './value-kinds.ts'

const document = openApiDocument()

describe('the OpenAPI document', () => {
  it('is checked in as docs/openapi.json: run npm run openapi', () => {
    const checkedIn = readFileSync(new URL('../../../../docs/openapi.json', import.meta.url), 'utf8')
    expect(checkedIn).toBe(`${JSON.stringify(document, null, 2)}\n`)
  })

  it('has no errors and no warnings by the recommended rules of Redocly', async () => {
    // As an installation serves it: the rules do not like the localhost of the file that is checked in.
    const source = JSON.stringify(openApiDocument('https://crm.acme.com/api'), null, 2)
    const config = await createConfig({ extends: ['recommended'] })
    const problems = await lintFromString({ source, absoluteRef: 'openapi.json', config })
    expect(problems.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer])).toEqual([])
  })

  it('describes every endpoint and no other', () => {
    const described = Object.entries(document.paths).flatMap(([path, operations]) =>
      Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
    )
    const routes = v1Routes.map(({ method, path }) => `${method} /v1${path.replace(':id', '{id}')}`)
    expect(described.sort()).toEqual(routes.sort())
  })

  it('gives every operation an id of its own', () => {
    const ids = Object.values(document.paths).flatMap((operations) =>
      Object.values(operations).map((operation) => operation.operationId),
    )
    expect(new Set(ids).size).toBe(v1Routes.length)
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
      const values = example === undefined ? Object.values(examples ?? {}).map(exampleAt) : [example]
      expect(values.length, JSON.stringify(schema)).toBeGreaterThan(0)
      for (const value of values) expect(problemsOf(schema, value), JSON.stringify(value)).toEqual([])
    }
  })
})

describe('the examples', () => {
  it.each(resources)('of $type have the custom fields of a new workspace', ({ type }) => {
    const codes = startingFields[type].map((field) => field.code)
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

function exampleAt({ $ref }: { $ref: string }): unknown {
  const name = $ref.slice('#/components/examples/'.length)
  return document.components.examples?.[name]?.value
}
