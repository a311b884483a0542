import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { type OpenApiDocument, openApiDocument } from '../src/http/openapi/document.ts'

type Schemas = {
  /** What is wrong with a value by a schema of the document. */
  problemsOf(schema: object, value: unknown): string[]
  /** The part of the document to which a reference points. */
  componentAt(reference: string): unknown
}

const COMPONENTS = '#/components/schemas/'
const DEFINITIONS = 'openapi#/$defs/'

/** The schemas of a document. Each is compiled once, when it is first needed. */
export function schemasOf(document: OpenApiDocument): Schemas {
  // To compile takes longer than to check: a schema that many refer to is compiled once, and not made shorter.
  const quick = { inlineRefs: false, code: { optimize: false } }
  const ajv = new Ajv2020({ allowUnionTypes: true, strictTypes: false, strictRequired: true, ...quick })
  formats.default(ajv)
  // A hint for generators: the `oneOf` next to it says the same.
  ajv.addKeyword('discriminator')
  ajv.addKeyword('x-kith-type')
  ajv.addSchema(asSchema({ $id: 'openapi', $defs: document.components.schemas }))
  const validators = new WeakMap<object, ValidateFunction>()
  /** Most schemas of bodies are only a reference to a component, which others refer to as well. */
  function validatorOf(schema: { $ref?: string }): ValidateFunction {
    const { $ref } = schema
    const component = $ref && ajv.getSchema($ref.replace(COMPONENTS, DEFINITIONS))
    return component || ajv.compile(asSchema(schema))
  }
  return {
    problemsOf(schema, value) {
      const validate = validators.get(schema) ?? validatorOf(schema)
      validators.set(schema, validate)
      if (validate(value)) return []
      return (validate.errors ?? []).map(
        ({ instancePath, message, params }) => `${instancePath || 'the body'} ${message} ${JSON.stringify(params)}`,
      )
    },
    componentAt(reference) {
      const [, ...names] = reference.split('/')
      return names.reduce<unknown>((part, name) => Reflect.get(Object(part), name), document)
    },
  }
}

/** References into the document, made references into the one schema that holds them all. */
function asSchema(schema: object): object {
  return JSON.parse(JSON.stringify(schema).replaceAll(`"${COMPONENTS}`, `"${DEFINITIONS}`))
}

/** Those of the general document. */
export const { problemsOf } = schemasOf(openApiDocument())
