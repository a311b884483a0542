import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { openApiDocument } from '../src/http/openapi/document.ts'

const document = openApiDocument()
const ajv = new Ajv2020({ allowUnionTypes: true, strictTypes: false, strictRequired: true })
formats.default(ajv)
// A hint for generators: the `oneOf` next to it says the same.
ajv.addKeyword('discriminator')
ajv.addSchema(asSchema({ $id: 'openapi', $defs: document.components.schemas }))

const validators = new WeakMap<object, ValidateFunction>()

/** What is wrong with a value by a schema of the document. Every schema is compiled once, when it is first needed. */
export function problemsOf(schema: object, value: unknown): string[] {
  let validate = validators.get(schema)
  if (validate === undefined) {
    validate = ajv.compile(asSchema(schema))
    validators.set(schema, validate)
  }
  if (validate(value)) return []
  return (validate.errors ?? []).map(
    ({ instancePath, message, params }) => `${instancePath || 'the body'} ${message} ${JSON.stringify(params)}`,
  )
}

/** References into the document, made references into the one schema that holds them all. */
function asSchema(schema: object): object {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/components/schemas/', '"openapi#/$defs/'))
}

/** The part of the document to which a reference points. */
export function componentAt(reference: string): unknown {
  const [, ...names] = reference.split('/')
  return names.reduce<unknown>((part, name) => Reflect.get(Object(part), name), document)
}
