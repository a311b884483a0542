/** A JSON Schema as plain data. */
export type Schema = { readonly [keyword: string]: unknown }

export function ref(name: string, more: Schema = {}): Schema {
  return { $ref: `#/components/schemas/${name}`, ...more }
}

export function refTo(part: 'headers' | 'parameters' | 'requestBodies' | 'responses', name: string): Schema {
  return { $ref: `#/components/${part}/${name}` }
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

export function orNull(schema: Schema): Schema {
  return { anyOf: [schema, { type: 'null' }] }
}

export function mapped<T>(names: readonly string[], make: (name: string) => T): Record<string, T> {
  return Object.fromEntries(names.map((name) => [name, make(name)]))
}
