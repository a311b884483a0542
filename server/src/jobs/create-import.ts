import { excerpt } from '@kith/contract/excerpt'
import { isNamespace } from '@kith/contract/external-ids'
import type { Definitions } from '@kith/contract/field-definition'
import {
  blankRules,
  dateOrders,
  decimalMarks,
  importFormats,
  importModes,
  type Mapping,
} from '@kith/contract/import/settings'
import { nameOfTarget, parseTarget, type TargetContext, targetNames, uniqueCodes } from '@kith/contract/import/target'
import type { Report } from '@kith/contract/issue'
import { JOB_NAME_MAX } from '@kith/contract/limits'
import { suggestion } from '@kith/contract/nearest'
import { isObject } from '@kith/contract/raw-input'
import { registry } from '@kith/contract/registry'
import { definitionsOf } from '../fields/definitions.ts'
import { requireAbilities, requirePermission } from '../scope/permissions.ts'
import { type Fields, parseResourceName, readInput } from '../scope/read-input.ts'
import { inTransaction, type Scope } from '../scope/scope.ts'
import { type JobObject, newJob, presentJob } from './job.ts'

/** Creates an import, which waits for its file. */
export async function createImport(scope: Scope, body: unknown): Promise<JobObject> {
  requireAbilities(scope, ['create', 'update'])
  const { dry_run, mapping, settings, ...wanted } = parseImport(body, await definitionsOf(scope))
  if (settings.create_options) requirePermission(scope, 'manage_fields')
  return inTransaction(scope, async (inside) => {
    const job = await newJob(inside, {
      type: 'import',
      state: 'waiting',
      ...wanted,
      dry_run: dry_run ? 1 : 0,
      mapping: mapping && JSON.stringify(mapping),
      settings: JSON.stringify(settings),
    })
    return presentJob(job)
  })
}

const TYPES = ['import'] as const

/** Parses the settings of a new import. */
function parseImport(body: unknown, definitions: Definitions) {
  return readInput(body, (fields) => {
    word(fields, 'type', { words: TYPES })
    const resource = parseResourceName(fields.raw('resource'), fields.report)
    const context = { resource: registry[resource], definitions }
    const format = word(fields, 'format', { words: importFormats })
    const mode = word(fields, 'mode', { words: importModes })
    return {
      resource,
      mode,
      match: parseMatch(fields, context, mode),
      mapping: parseMapping(fields, context, format),
      name: fields.optionalText('name', JOB_NAME_MAX) ?? null,
      dry_run: fields.flag('dry_run', false),
      settings: {
        format,
        blank: word(fields, 'blank', { words: blankRules, or: 'keep' }),
        dates: word(fields, 'dates', { words: dateOrders, or: 'iso' }),
        decimal: word(fields, 'decimal', { words: decimalMarks, or: '.' }),
        delimiter: parseDelimiter(fields),
        create_options: fields.flag('create_options', false),
      },
    }
  })
}

type Words<W extends string> = { words: readonly W[]; or?: W }

/** One of several words. Required unless it has a default. */
function word<const W extends string>(fields: Fields, key: string, { words, or }: Words<W>): W {
  const raw = fields.raw(key) ?? undefined
  const found = words.find((one) => one === raw) ?? (raw === undefined ? or : undefined)
  if (found !== undefined) return found
  const near = typeof raw === 'string' ? suggestion(raw, words) : ''
  const missing = raw === undefined ? 'is required and ' : ''
  fields.report(key, `The ${key} ${missing}must be one of: ${words.join(', ')}.${near}`)
  // A harmless value, because the problem was reported. Every list of words has a first one.
  return words[0] as W
}

const EXTERNAL = 'external_ids.'

function parseMatch(fields: Fields, { resource, definitions }: TargetContext, mode: string): string | null {
  const raw = fields.raw('match') ?? null
  if (mode === 'create') {
    if (raw !== null) fields.report('match', 'The match is for the modes update and upsert only.')
    return null
  }
  const codes = uniqueCodes(definitions[resource.type].list)
  const name = typeof raw === 'string' ? raw.trim() : ''
  const namespace = name.startsWith(EXTERNAL) ? name.slice(EXTERNAL.length) : undefined
  if (name === 'id' || codes.includes(name) || (namespace !== undefined && isNamespace(namespace))) return name
  const accepted = ['id', ...codes]
  const problem =
    raw === null ? `is required in the mode ${mode}` : 'must be id, the code of a unique field or an external id'
  const shown = `Accepted: ${[...accepted, `${EXTERNAL}<namespace>`].join(', ')}.${suggestion(name, accepted)}`
  fields.report('match', `The match ${problem}. ${shown}`)
  return null
}

function parseMapping(fields: Fields, context: TargetContext, format: string): Mapping | null {
  const raw = fields.raw('mapping') ?? null
  if (raw === null) return null
  if (!isObject(raw)) {
    fields.report('mapping', 'The mapping must be an object of columns and their targets.')
    return null
  }
  if (format === 'ndjson' && Object.keys(raw).length > 0) {
    fields.report('mapping', 'The mapping is for CSV only: the lines of NDJSON name what they write.')
  }
  const entries = Object.entries(raw).map(([column, target]) => {
    return [column, parseMapped(target, { column, context }, fields.report)] as const
  })
  reportShared(entries, fields.report)
  return Object.fromEntries(entries)
}

function parseMapped(
  raw: unknown,
  { column, context }: { column: string; context: TargetContext },
  report: Report,
): string | null {
  if (raw === null) return null
  const target = typeof raw === 'string' ? parseTarget(raw, context) : undefined
  if (target) return nameOfTarget(target)
  const names = targetNames(context)
  const path = `mapping.${excerpt(column)}`
  const sent = typeof raw === 'string' ? ` "${excerpt(raw)}" is not one of them.` : ''
  const near = typeof raw === 'string' ? suggestion(raw, names) : ''
  report(path, `The ${path} must be null or one of: ${names.join(', ')}.${sent}${near}`)
  return null
}

function reportShared(entries: readonly (readonly [string, string | null])[], report: Report): void {
  const seen = new Map<string, string>()
  for (const [column, target] of entries) {
    if (target === null) continue
    const before = seen.get(target)
    if (before === undefined) seen.set(target, column)
    else report(`mapping.${excerpt(column)}`, `The column "${excerpt(before)}" goes to ${target} already.`)
  }
}

const PLAIN = /^[\t -~]$/

function parseDelimiter(fields: Fields): string | null {
  const raw = fields.raw('delimiter') ?? null
  if (raw === null) return null
  if (typeof raw === 'string' && PLAIN.test(raw) && raw !== '"' && !/[\w']/.test(raw)) return raw
  fields.report('delimiter', 'The delimiter must be one character, such as "," or ";" or a tab.')
  return null
}
