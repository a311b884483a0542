import type { Mapping } from '@kith/contract/import/settings'
import { type ImportTarget, nameOfTarget, parseTarget } from '@kith/contract/import/target'
import type { Resource } from '@kith/contract/resource'
import type { OutputColumn } from '../reading/rewrite.ts'
import { isJoined, joinOf, namePartOf } from './column-names.ts'
import { type ColumnTargets, sharesValue } from './suggest.ts'

/** The columns of the file that is sent, and where each of them goes. */
export type Plan = { columns: OutputColumn[]; targets: (ImportTarget | null)[]; mapping: Mapping }

/**
 * Columns that go to one target become one column. The others stay, so that the rows of the file can be shown.
 * `country` is that of phone numbers without a country code.
 */
export function planOf(
  header: readonly string[],
  targets: ColumnTargets,
  { resource, country }: { resource: Resource; country?: string | undefined },
): Plan {
  const plan: { columns: OutputColumn[]; targets: (ImportTarget | null)[] } = { columns: [], targets: [] }
  const done = new Set<string>()
  header.forEach((name, index) => {
    const wanted = targets[index] ?? null
    const target = wanted === null ? null : (parseTarget(wanted, resource) ?? null)
    if (wanted === null || !target || !isJoined(target)) {
      plan.columns.push({ name, sources: [index], join: joinOf(target), ...countryOf(target, country) })
      plan.targets.push(target)
      return
    }
    if (done.has(wanted)) return
    done.add(wanted)
    const sources = header.flatMap((_, other) => (targets[other] === wanted ? [other] : []))
    const ordered = target.kind === 'label' ? inOrderOfNames(sources, header) : sources
    plan.columns.push({
      name: joinedName(target, ordered, header),
      sources: ordered,
      join: joinOf(target),
      ...countryOf(target, country),
    })
    plan.targets.push(target)
  })
  const entries = plan.columns.map(({ name }, index) => [name, targetName(plan, { index, targets })] as const)
  return { ...plan, mapping: Object.fromEntries(entries) }
}

function targetName(
  { columns }: { columns: OutputColumn[] },
  { index, targets }: { index: number; targets: ColumnTargets },
): string | null {
  const source = columns[index]?.sources[0]
  return source === undefined ? null : (targets[source] ?? null)
}

function countryOf(target: ImportTarget | null, country: string | undefined): { country?: string } {
  return target?.kind === 'field' && target.field.type === 'phone' && country !== undefined ? { country } : {}
}

/** First names come before last names, even if the file has them in another order. */
function inOrderOfNames(sources: number[], header: readonly string[]): number[] {
  const rank = (source: number) => namePartOf(header[source] ?? '') ?? 0
  return sources.toSorted((one, other) => rank(one) - rank(other) || one - other)
}

/** A name by which the column is recognised when the rows that failed are imported again. */
function joinedName(target: ImportTarget, sources: readonly number[], header: readonly string[]): string {
  const names = sources.map((source) => header[source] ?? '')
  if (names.length === 1) return names.join()
  const name = nameOfTarget(target)
  return header.includes(name) && !names.includes(name) ? names.join(' + ') : name
}

/** Columns that write the same value and cannot be joined: the later ones, each with the first. */
export function conflictsIn(targets: ColumnTargets, resource: Resource): Map<number, number> {
  const conflicts = new Map<number, number>()
  targets.forEach((name, index) => {
    const target = name === null ? undefined : parseTarget(name, resource)
    if (name === null || !target) return
    const first = targets.findIndex((one, other) => other < index && sharesValue(one, name))
    if (first !== -1 && (targets[first] !== name || !isJoined(target))) conflicts.set(index, first)
  })
  return conflicts
}
