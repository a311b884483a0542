import { dataOfCells } from '@kith/contract/import/row-data'
import type { CellSettings, ImportMode } from '@kith/contract/import/settings'
import type { ImportTarget } from '@kith/contract/import/target'
import { type Issue, reportInto } from '@kith/contract/issue'
import { parseRecordInput } from '@kith/contract/record-input'
import type { Resource } from '@kith/contract/resource'

/** The problems of a row by the index of the column, as far as they are visible without the other records. */
export function problemsOf(
  cells: readonly string[],
  rules: {
    resource: Resource
    targets: readonly (ImportTarget | null)[]
    settings: CellSettings
    mode: ImportMode
    /** New options are created, so that unknown ones are no problem. */
    create_options: boolean
  },
): Map<number, string[]> {
  const { targets, settings, mode, create_options } = rules
  const { data } = dataOfCells(cells, targets, settings)
  const issues: Issue[] = []
  const input = parseRecordInput(data, { ...rules, creating: mode === 'create', byName: 'find' }, reportInto(issues))
  for (const [field, { issues: found }] of input.wrong) {
    if (!create_options || field.options.length === 0) issues.push(...found)
  }
  return byColumn(issues, targets)
}

/** Problems by the column that they are about. Those of the whole row are under -1. */
export function byColumn(issues: readonly Issue[], targets: readonly (ImportTarget | null)[]): Map<number, string[]> {
  const found = new Map<number, string[]>()
  for (const { path, message } of issues) {
    const index = targets.findIndex((target) => target !== null && isAt(path, target))
    found.set(index, [...(found.get(index) ?? []), message])
  }
  return found
}

/** The name under which the service reports a problem of a target. */
function isAt(path: string, target: ImportTarget): boolean {
  const keys = keysOf(target)
  return keys.some((key) => path === key || path.startsWith(`${key}.`))
}

function keysOf(target: ImportTarget): string[] {
  switch (target.kind) {
    case 'id':
      return ['id']
    case 'external_ids':
      return [`external_ids.${target.namespace}`]
    // By its code alone it is the match field.
    case 'field':
      return [`custom_fields.${target.field.code}`, target.field.code]
    default:
      return [target.key]
  }
}
