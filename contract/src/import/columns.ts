import { excerpt } from '../excerpt.ts'
import { nearest } from '../nearest.ts'
import { readOnlyKeys } from '../record-input.ts'
import type { Resource } from '../resource.ts'
import type { Mapping } from './settings.ts'
import { type ImportTarget, nameOfTarget, parseTarget, targetNames, writtenBy } from './target.ts'

type ColumnContext = { resource: Resource; mapping: Mapping; match: string | null }

/** Finds the target of each column of a header: by the mapping, or by its name. */
export function resolveColumns(
  header: readonly string[],
  wanted: ColumnContext,
): {
  /** For each column, null where it is left out. */
  targets: (ImportTarget | null)[]
  /** The problems that prevent the import, in whole sentences. */
  problems: string[]
} {
  const found = header.map((name) => targetOf(name, wanted))
  const targets = found.map((target) => target ?? null)
  const unknown = header.filter((_name, index) => found[index] === undefined)
  const problems = [
    ...unknownColumns(unknown, wanted),
    ...missingColumns(header, wanted),
    ...sharedTargets(header, targets),
    ...missingMatch(targets, wanted.match),
  ]
  return { targets, problems }
}

/** Undefined for a column that is neither mapped nor known. */
function targetOf(column: string, wanted: ColumnContext): ImportTarget | null | undefined {
  const { mapping, match } = wanted
  const name = column.trim()
  const mapped = mappedTo(mapping, [column, name])
  if (mapped === null) return null
  if (mapped !== undefined) return parseTarget(mapped, wanted.resource)
  const known = knownTarget(name, wanted)
  if (known?.kind === 'id') return match === 'id' ? known : null
  if (known) return known
  return leftOut(wanted).includes(name.toLowerCase()) ? null : undefined
}

function mappedTo(mapping: Mapping, names: readonly string[]): string | null | undefined {
  const name = names.find((one) => Object.hasOwn(mapping, one))
  return name === undefined ? undefined : mapping[name]
}

/** By the name of a target, the code of a field, or its name. */
function knownTarget(name: string, wanted: ColumnContext): ImportTarget | undefined {
  const word = name.toLowerCase()
  const target = parseTarget(word, wanted.resource)
  if (target) return target
  const { list, byCode } = wanted.resource.fields
  const field = byCode.get(word) ?? list.find((one) => one.name.toLowerCase() === word)
  return field && { kind: 'field', field }
}

/** Columns of an export that cannot be written, and the column that results add. */
function leftOut({ resource }: ColumnContext): string[] {
  return [...readOnlyKeys(resource), 'creator_id', 'errors']
}

const NAMED_MAX = 10

function unknownColumns(unknown: readonly string[], wanted: ColumnContext): string[] {
  if (unknown.length === 0) return []
  const targets = targetNames(wanted.resource)
  const { list } = wanted.resource.fields
  const known = [...targets, ...list.flatMap(({ code, name }) => [code, name])]
  const named = unknown.slice(0, NAMED_MAX).map((column) => {
    const near = nearest(column.trim(), known)
    return near === undefined ? `"${excerpt(column)}"` : `"${excerpt(column)}" (did you mean ${near}?)`
  })
  const more = unknown.length > NAMED_MAX ? ` and ${unknown.length - NAMED_MAX} more` : ''
  const subject = unknown.length === 1 ? 'The column' : 'The columns'
  const verb = unknown.length === 1 ? 'is' : 'are'
  return [
    `${subject} ${named.join(', ')}${more} ${verb} neither mapped nor known. ` +
      `Map each to a target, or to null to leave it out. Targets: ${targets.join(', ')}.`,
  ]
}

function missingColumns(header: readonly string[], { mapping }: ColumnContext): string[] {
  const names = new Set(header.flatMap((name) => [name, name.trim()]))
  const missing = Object.keys(mapping).filter((name) => !names.has(name))
  if (missing.length === 0) return []
  const named = missing.slice(0, NAMED_MAX).map((name) => {
    const near = nearest(name, header)
    return near === undefined ? `"${excerpt(name)}"` : `"${excerpt(name)}" (did you mean "${excerpt(near)}"?)`
  })
  return [`The mapping names ${named.join(', ')}, which the file does not have.`]
}

function sharedTargets(header: readonly string[], targets: readonly (ImportTarget | null)[]): string[] {
  const columns = new Map<string, string[]>()
  targets.forEach((target, index) => {
    if (!target) return
    const name = writtenBy(target)
    columns.set(name, [...(columns.get(name) ?? []), header[index] ?? ''])
  })
  return [...columns].flatMap(([name, all]) => {
    if (all.length === 1) return []
    const named = all.map((column) => `"${excerpt(column)}"`).join(' and ')
    return [`The columns ${named} both go to ${name}. Map all but one of them to null.`]
  })
}

function missingMatch(targets: readonly (ImportTarget | null)[], match: string | null): string[] {
  if (match === null || targets.some((target) => target && isMatch(target, match))) return []
  return [`No column goes to ${match}, by which the import finds its records.`]
}

function isMatch(target: ImportTarget, match: string): boolean {
  return target.kind === 'field' ? target.field.code === match : nameOfTarget(target) === match
}
