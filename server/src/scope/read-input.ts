import { excerpt } from '@kith/contract/excerpt'
import { lengthOf } from '@kith/contract/fold'
import type { Report } from '@kith/contract/issue'
import { suggestion } from '@kith/contract/nearest'
import { isObject, unstorable } from '@kith/contract/raw-input'
import { parseOrRefuse } from '@kith/contract/refusal'
import { type ResourceName, resourceNames } from '@kith/contract/resource'

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
    for (const key of Object.keys(sent)) if (!asked.has(key)) report(excerpt(key), unknownKey(key, [...asked]))
    return value
  })
}

function fieldsOf(sent: Readonly<Record<string, unknown>>, asked: Set<string>, report: Report): Fields {
  function raw(key: string): unknown {
    asked.add(key)
    return Object.hasOwn(sent, key) ? sent[key] : undefined
  }
  function optionalText(key: string, max = TEXT_MAX): string | undefined {
    const value = raw(key)
    if (value === undefined || value === null) return undefined
    const problem = textProblem(value, max)
    if (problem !== undefined) report(key, `The ${key} ${problem}.`)
    return typeof value === 'string' && problem === undefined ? value : undefined
  }
  return {
    raw,
    report,
    optionalText,
    text(key, max) {
      const value = raw(key)
      if (value === undefined || value === null || value === '') report(key, `The ${key} is required.`)
      return optionalText(key, max) ?? ''
    },
    flag(key, otherwise) {
      const value = raw(key)
      if (value === undefined || value === null) return otherwise
      if (typeof value !== 'boolean') report(key, `The ${key} must be true or false.`)
      return value === true
    },
  }
}

function textProblem(value: unknown, max: number): string | undefined {
  if (typeof value !== 'string') return 'must be a string'
  return lengthOf(value) > max ? `must not be longer than ${max} characters` : unstorable(value)
}

function unknownKey(key: string, accepted: readonly string[]): string {
  const known = accepted.length === 0 ? 'Nothing is accepted here.' : `Accepted: ${accepted.join(', ')}.`
  return `The ${excerpt(key)} key is not known. ${known}${suggestion(key, accepted)}`
}

/** The resource with a name. Reports an unknown name. */
export function parseResourceName(raw: unknown, report: Report, path = 'resource'): ResourceName {
  const name = resourceNames.find((known) => known === raw)
  if (name === undefined) {
    const near = suggestion(typeof raw === 'string' ? raw : '', resourceNames)
    report(path, `The ${path} must be one of: ${resourceNames.join(', ')}.${near}`)
  }
  return name ?? 'companies'
}
