import { fieldTypes } from '@kith/contract/field-types'
import { parseTarget } from '@kith/contract/import/target'
import type { Resource } from '@kith/contract/resource'
import { problemsOf } from './columns/check-rows.ts'
import { conflictsIn, type Plan } from './columns/plan.ts'
import { choicesOf, type ImportDraft, matchesIn } from './draft.ts'
import { cellOf } from './reading/rewrite.ts'
import { labelOf } from './target-words.ts'

/** The problems of a draft that the browser finds itself. */
export type DraftCheck = {
  /** The first rows as they are sent, with their problems by column. */
  rows: { cells: string[]; problems: Map<number, string[]> }[]
  /** The first problem of each column of the chosen file, and in how many of the first rows it has one. */
  byColumn: Map<number, { count: number; message: string }>
  /** Columns that cannot go to their target because another one does. */
  conflicts: Map<number, number>
  hasNewOptions: boolean
  /** The problems that must be solved before the file can be sent. */
  problems: string[]
}

export function checkDraft(draft: ImportDraft, plan: Plan, resource: Resource): DraftCheck {
  const { targets, scanned } = draft
  const settings = choicesOf(draft, resource)
  const rules = { resource, targets: plan.targets, settings, mode: settings.mode, create_options: false }
  let hasNewOptions = false
  const rows = scanned.rows.map((source) => {
    const cells = plan.columns.map((column) => cellOf(column, source))
    const problems = problemsOf(cells, rules)
    for (const index of [...problems.keys()]) {
      const target = plan.targets[index]
      const takesOptions = target?.kind === 'field' && fieldTypes[target.field.type].hasOptions
      if (!takesOptions) continue
      hasNewOptions = true
      if (settings.create_options) problems.delete(index)
    }
    return { cells, problems }
  })
  const conflicts = conflictsIn(targets, resource)
  return {
    rows,
    byColumn: countByColumn(rows, plan),
    conflicts,
    hasNewOptions,
    problems: problemsOfDraft(draft, conflicts, resource),
  }
}

function countByColumn(rows: DraftCheck['rows'], plan: Plan): DraftCheck['byColumn'] {
  const found: DraftCheck['byColumn'] = new Map()
  for (const { problems } of rows) {
    for (const [index, messages] of problems) {
      // Of columns that are joined, the first one shows it.
      const source = plan.columns[index]?.sources[0]
      if (source === undefined) continue
      const before = found.get(source)
      found.set(source, { count: (before?.count ?? 0) + 1, message: before?.message ?? messages[0] ?? '' })
    }
  }
  return found
}

function problemsOfDraft(draft: ImportDraft, conflicts: Map<number, number>, resource: Resource): string[] {
  const { targets, scanned } = draft
  const { mode, match } = choicesOf(draft, resource)
  const { label } = resource
  const problems: string[] = []
  const lost = targets.findIndex((name) => name !== null && !parseTarget(name, resource))
  if (lost !== -1) {
    problems.push(`The column ${scanned.header[lost]} goes to a field that was deleted or changed. Choose another one.`)
  }
  const [conflict] = conflicts
  if (conflict) {
    const [one, other] = conflict.map((index) => scanned.header[index])
    problems.push(`The columns ${other} and ${one} go to the same field. Leave one of them out.`)
  }
  if (mode !== 'update' && !targets.includes(label)) {
    problems.push(`Choose the column that has the ${labelOf(label, resource).toLowerCase()}.`)
  }
  if (mode !== 'create' && !matchesIn(targets, resource).includes(match ?? '')) {
    problems.push('Choose a column by which existing records are found.')
  }
  return problems
}
