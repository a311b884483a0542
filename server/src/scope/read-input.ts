import { excerpt } from '@kith/contract/excerpt'
import type { Report } from '@kith/contract/issue'
import { suggestion } from '@kith/contract/nearest'
import { isObject } from '@kith/contract/raw-input'
import { parseOrRefuse, refuse } from '@kith/contract/refusal'
import { type Resource, resourceIn, type Schema } from '@kith/contract/resource'
import { flag, text, unknownKey, word } from '@kith/contract/shape'

const TEXT_MAX = 1000

/** Reads single keys of an input. Reports problems and returns a harmless value of the type. */
export type Fields = {
  text(key: string, max?: number): string
  /** Undefined when it was not sent or is null. */
  optionalText(key: string, max?: number): string | undefined
  flag(key: string, otherwise: boolean): boolean
  /** The value as it was sent, for another parser. Undefined when it was not sent. */
  raw(key: string): unknown
  report: Report
}

/**
 * Reads the keys of an input. Keys that are not read are refused, so that no unknown input is ignored, and all
 * problems are reported at once.
 */
export function readInput<T>(input: unknown, read: (fields: Fields) => T): T {
  return parseOrRefuse([], (report) => {
    const sent = isObject(input) ? input : {}
    if (!isObject(input)) report('body', 'The request body must be a JSON object.')
    const asked = new Set<string>()
    const value = read(fieldsOf(sent, asked, report))
    for (const key of Object.keys(sent)) if (!asked.has(key)) report(excerpt(key), unknownKey('', key, [...asked]))
    return value
  })
}

function fieldsOf(sent: Readonly<Record<string, unknown>>, asked: Set<string>, report: Report): Fields {
  function raw(key: string): unknown {
    asked.add(key)
    return Object.hasOwn(sent, key) ? sent[key] : undefined
  }
  function optionalText(key: string, maxLength = TEXT_MAX): string | undefined {
    const value = raw(key) ?? undefined
    return value === undefined ? undefined : text({ maxLength }).parse(value, key, report)
  }
  return {
    raw,
    report,
    optionalText,
    text(key, max) {
      const value = raw(key) ?? ''
      if (value === '') report(key, `The ${key} is required.`)
      return value === '' ? '' : (optionalText(key, max) ?? '')
    },
    flag(key, otherwise) {
      const value = raw(key) ?? otherwise
      return flag().parse(value, key, report) ?? false
    },
  }
}

/** The resource with a name. Reports an unknown name. */
export function parseResource(schema: Schema, raw: unknown, report: Report, path = 'resource'): Resource {
  return resourceIn(schema, word([...schema.keys()]).parse(raw, path, report) ?? 'companies')
}

/** The resource with a code. Refuses an unknown one, and an archived one unless it may be archived. */
export function requireResource(schema: Schema, code: string, state?: 'or archived'): Resource {
  const archived = schema.archived.get(code)
  const found = schema.get(code) ?? (state && archived)
  if (found) return found
  const known = [...schema.keys()]
  const message = archived
    ? `The resource ${code} is archived.`
    : `No resource has the code ${excerpt(code)}.${suggestion(code, known)}`
  return refuse({ kind: 'not_found', message })
}
