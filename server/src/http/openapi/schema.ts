/** A JSON Schema as plain data. */
export type Schema = { readonly [keyword: string]: unknown }

/** What a plain value is. */
export const is = {
  text: { type: 'string' },
  textOrNull: { type: ['string', 'null'] },
  flag: { type: 'boolean' },
  flagOrNull: { type: ['boolean', 'null'] },
  whole: { type: 'integer', minimum: 0 },
} satisfies Record<string, Schema>

export function enumOf(words: readonly string[]): Schema {
  return { type: 'string', enum: words }
}

export function constant(word: string): Schema {
  return { type: 'string', const: word }
}

export function ref(name: string, more: Schema = {}): Schema {
  return { $ref: `#/components/schemas/${name}`, ...more }
}

type Part = 'headers' | 'parameters' | 'requestBodies' | 'responses' | 'examples'

export function refTo(part: Part, name: string): Schema {
  return { $ref: `#/components/${part}/${name}` }
}

/** A schema of `components`, and the examples of the same name or of these names. */
export function shown(name: string, examples: readonly string[] = [name]): Schema {
  return { schema: ref(name), examples: mapped(examples, (example) => refTo('examples', example)) }
}

/** An object of which every key is known. */
export function closed(
  properties: Readonly<Record<string, Schema>>,
  { required = Object.keys(properties), ...more }: { required?: readonly string[] } & Schema = {},
): Schema {
  return {
    type: 'object',
    ...more,
    properties,
    ...(required.length > 0 ? { required } : {}),
    additionalProperties: false,
  }
}

/** An object of JSON:API. */
export function objectOf(type: string, attributes: Readonly<Record<string, Schema>>): Schema {
  return closed({ id: ref('Id'), type: constant(type), attributes: closed(attributes) })
}

/** The schema with a description. */
export function says(schema: Schema, description: string): Schema {
  return { ...schema, description }
}

export function orNull(schema: Schema): Schema {
  return { anyOf: [schema, { type: 'null' }] }
}

export function mapped<T>(names: readonly string[], make: (name: string) => T): Record<string, T> {
  return Object.fromEntries(names.map((name) => [name, make(name)]))
}
