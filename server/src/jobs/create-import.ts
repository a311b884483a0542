import { excerpt } from '@kith/contract/excerpt'
import { isNamespace } from '@kith/contract/external-ids'
import type { Mapping } from '@kith/contract/import/settings'
import { nameOfTarget, parseTarget, targetNames, uniqueCodes } from '@kith/contract/import/target'
import type { Report } from '@kith/contract/issue'
import { newImport } from '@kith/contract/jobs'
import { suggestion } from '@kith/contract/nearest'
import { isObject } from '@kith/contract/raw-input'
import { parseOrRefuse } from '@kith/contract/refusal'
import type { Resource, Schema } from '@kith/contract/resource'
import { readObject } from '@kith/contract/shape'
import { requireAbilities, requirePermission } from '../scope/permissions.ts'
import { parseResource } from '../scope/read-input.ts'
import { inTransaction, type Scope } from '../scope/scope.ts'
import { type JobObject, newJob, presentJob } from './job.ts'

/** Creates an import, which waits for its file. */
export async function createImport(scope: Scope, body: unknown): Promise<JobObject> {
  requireAbilities(scope, ['create', 'update'])
  const { dry_run, mapping, settings, ...wanted } = parseImport(body, scope.schema)
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

/** Parses the settings of a new import. */
function parseImport(body: unknown, schema: Schema) {
  return parseOrRefuse([], (report) => {
    const {
      type: _,
      resource: named,
      mode,
      match,
      mapping,
      name,
      dry_run,
      ...settings
    } = readObject(body, newImport, report)
    const resource = parseResource(schema, named, report)
    return {
      resource: resource.type,
      mode,
      match: parseMatch(match, { resource, mode }, report),
      mapping: mapping && parseMapping(mapping, { resource, format: settings.format }, report),
      name,
      dry_run,
      settings,
    }
  })
}

const EXTERNAL = 'external_ids.'

function parseMatch(
  raw: unknown,
  { resource, mode }: { resource: Resource; mode: string },
  report: Report,
): string | null {
  if (mode === 'create') {
    if (raw !== null) report('match', 'The match is for the modes update and upsert only.')
    return null
  }
  const codes = uniqueCodes(resource.fields.list)
  const name = typeof raw === 'string' ? raw.trim() : ''
  const namespace = name.startsWith(EXTERNAL) ? name.slice(EXTERNAL.length) : undefined
  if (name === 'id' || codes.includes(name) || (namespace !== undefined && isNamespace(namespace))) return name
  const accepted = ['id', ...codes]
  const problem =
    raw === null ? `is required in the mode ${mode}` : 'must be id, the code of a unique field or an external id'
  const shown = `Accepted: ${[...accepted, `${EXTERNAL}<namespace>`].join(', ')}.${suggestion(name, accepted)}`
  report('match', `The match ${problem}. ${shown}`)
  return null
}

function parseMapping(
  raw: unknown,
  { resource, format }: { resource: Resource; format: string },
  report: Report,
): Mapping | null {
  if (!isObject(raw)) {
    report('mapping', 'The mapping must be an object of columns and their targets.')
    return null
  }
  if (format === 'ndjson' && Object.keys(raw).length > 0) {
    report('mapping', 'The mapping is for CSV only: the lines of NDJSON name what they write.')
  }
  const entries = Object.entries(raw).map(([column, target]) => {
    return [column, parseMapped(target, { column, resource }, report)] as const
  })
  reportShared(entries, report)
  return Object.fromEntries(entries)
}

function parseMapped(
  raw: unknown,
  { column, resource }: { column: string; resource: Resource },
  report: Report,
): string | null {
  if (raw === null) return null
  const target = typeof raw === 'string' ? parseTarget(raw, resource) : undefined
  if (target) return nameOfTarget(target)
  const names = targetNames(resource)
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
