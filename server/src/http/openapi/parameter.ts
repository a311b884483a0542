import { is, type Schema } from './schema.ts'

/** What a parameter has besides its name and its description. Its schema comes first, and is text unless named. */
type More = Schema & { readonly schema?: Schema }

export function inPath(name: string, description: string, more: More): Schema {
  return { name, in: 'path', required: true, description, schema: is.text, ...more }
}

export function inQuery(name: string, description: string, more: More = {}): Schema {
  return { name, in: 'query', description, schema: is.text, ...more }
}

export function inHeader(name: string, description: string, more: More = {}): Schema {
  return { name, in: 'header', description, schema: is.text, ...more }
}

/** Names joined by commas. */
export function joined(items: Schema, more: Schema = {}): Schema {
  return { schema: { type: 'array', items, ...more }, style: 'form', explode: false }
}
