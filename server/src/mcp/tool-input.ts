import { excerpt } from '@kith/contract/excerpt'
import type { Report } from '@kith/contract/issue'
import { suggestion } from '@kith/contract/nearest'
import { isDeep, isObject, NESTING_MAX } from '@kith/contract/raw-input'
import { parseOrRefuse } from '@kith/contract/refusal'
import { registry } from '@kith/contract/registry'
import { type Resource, resourceNames } from '@kith/contract/resource'
import type { Asked } from '../records/ask.ts'
import type { Schema } from './schema.ts'
import type { Tool, ToolInput } from './tool.ts'

/** Checks the arguments of a call against the schema of the tool: unknown keys, required keys and types. */
export function parseToolInput({ input: { properties, required } }: Tool, raw: unknown): ToolInput {
  return parseOrRefuse([], (report) => {
    const sent = isObject(raw) ? raw : {}
    if (raw !== undefined && !isObject(raw)) report('arguments', 'The arguments must be a JSON object.')
    if (isDeep(raw)) report('arguments', `The arguments must not be nested deeper than ${NESTING_MAX} levels.`)
    const accepted = Object.keys(properties)
    for (const key of Object.keys(sent)) if (!accepted.includes(key)) report(excerpt(key), unknown(key, accepted))
    for (const [key, schema] of Object.entries(properties))
      checkValue({ key, value: sent[key], required: required.includes(key) }, schema, report)
    return sent
  })
}

function unknown(key: string, accepted: readonly string[]): string {
  const known = accepted.length === 0 ? 'This tool takes no arguments.' : `Accepted: ${accepted.join(', ')}.`
  return `The argument ${excerpt(key)} is not known. ${known}${suggestion(key, accepted)}`
}

type Argument = { key: string; value: unknown; required: boolean }

/** Checks only the type of the value; the operation checks the rest. */
function checkValue({ key, value, required }: Argument, schema: Schema, report: Report): void {
  const names = Array.isArray(schema.enum) ? schema.enum.map(String) : undefined
  if (value === undefined || value === null) {
    if (required) report(key, `The ${key} is required.${names ? ` Accepted: ${names.join(', ')}.` : ''}`)
  } else if (names && !(typeof value === 'string' && names.includes(value))) {
    const near = typeof value === 'string' ? suggestion(value, names) : ''
    report(key, `The ${key} must be one of: ${names.join(', ')}.${near}`)
  } else if (schema.type === 'string' && typeof value !== 'string') report(key, `The ${key} must be a string.`)
  else if (schema.type === 'object' && !isObject(value)) report(key, `The ${key} must be an object.`)
}

export function resourceIn(input: ToolInput): Resource {
  const name = resourceNames.find((known) => known === input.resource)
  if (name === undefined) throw new Error('A tool ran without the resource that its schema requires.')
  return registry[name]
}

export function textIn(input: ToolInput, key: string): string {
  const value = input[key]
  if (typeof value !== 'string') throw new Error(`A tool ran without the ${key} that its schema requires.`)
  return value
}

/** Selects the arguments that the operation takes as parameters of the same names. */
export function parametersIn(input: ToolInput, names: readonly string[]): Asked {
  const raw = Object.fromEntries(names.filter((name) => input[name] !== undefined).map((name) => [name, input[name]]))
  return { raw, loose: false, issues: [] }
}
