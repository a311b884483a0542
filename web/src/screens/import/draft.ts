import { fieldTypes } from '@kith/contract/field-types'
import type { CellSettings, ImportMode } from '@kith/contract/import/settings'
import { parseTarget, uniqueCodes } from '@kith/contract/import/target'
import type { Resource } from '@kith/contract/resource'
import { type ColumnTargets, suggestTargets } from './columns/suggest.ts'
import { presetFor } from './presets/presets.ts'
import type { OpenFile } from './reading/open-file.ts'
import type { FileScan } from './reading/scan.ts'

/** An import while its columns are chosen. */
export type ImportDraft = {
  file: OpenFile
  sheet: number
  scanned: FileScan
  targets: ColumnTargets
  /** The targets that the user has picked, by the names of their columns. */
  picked: Readonly<Record<string, string | null>>
  /** The choices of the user. The rest follows from the file and the targets. */
  chosen: Partial<ImportChoices> & {
    /** Used to rewrite the file; not sent with the job. */
    country?: string
  }
  /** The parts that were left out, and why. */
  notes: readonly string[]
}

/** Rows with the targets of their columns, and what was chosen for them. */
type TargetedFile = Pick<ImportDraft, 'scanned' | 'targets' | 'chosen'>

export type ImportChoices = CellSettings & {
  mode: ImportMode
  match: string | null
  create_options: boolean
  create_related: boolean
}

/** A draft with everything that can be recognised. */
export function startDraft(
  file: OpenFile,
  read: { sheet: number; scanned: FileScan },
  resource: Resource,
): ImportDraft {
  return { file, ...read, targets: suggestTargets(read.scanned, resource), picked: {}, chosen: {}, notes: [] }
}

/** What happens to the rows, as chosen or as it seems best. */
export function choicesOf(draft: TargetedFile, resource: Resource): ImportChoices {
  const { chosen, targets } = draft
  const matches = matchesIn(targets, resource)
  const found = startMatch(draft, resource)
  const mode = chosen.mode ?? (found === null ? 'create' : found === 'id' ? 'update' : 'upsert')
  // A match that has no column any more is given up.
  const kept = matches.find((match) => match === chosen.match)
  return {
    mode,
    match: mode === 'create' ? null : (kept ?? found ?? matches[0] ?? null),
    blank: chosen.blank ?? 'keep',
    dates: chosen.dates ?? datesIn(draft, resource),
    decimal: chosen.decimal ?? decimalIn(draft, resource),
    create_options: chosen.create_options ?? false,
    create_related: chosen.create_related ?? false,
  }
}

/** The columns by whose values records can be found. */
export function matchesIn(targets: ColumnTargets, resource: Resource): string[] {
  const codes = uniqueCodes(resource.fields.list)
  const names = targets.flatMap((name) => {
    if (name === 'id' || name?.startsWith('external_ids.')) return [name]
    const code = name?.startsWith('custom_fields.') ? name.slice('custom_fields.'.length) : ''
    return codes.includes(code) ? [code] : []
  })
  return [...new Set(names)]
}

/** The id of the record or in the other program, or a unique value that every row has. */
function startMatch({ targets, scanned }: TargetedFile, resource: Resource): string | null {
  const preset = presetFor(scanned.header, resource.type)
  const found = matchesIn(targets, resource)
  if (preset?.match !== undefined && found.includes(preset.match)) return preset.match
  const isFull = (match: string) => {
    return targets.some((name, index) => {
      const isOwn = name === match || name === `custom_fields.${match}`
      return isOwn && scanned.columns[index]?.filled === scanned.total
    })
  }
  return found.find((match) => match === 'id' && isFull(match)) ?? found.find(isFull) ?? null
}

/** The order of dates in the columns that go to dates. Where their numbers don't tell, that of the reader. */
function datesIn({ targets, scanned: { contents } }: TargetedFile, resource: Resource): CellSettings['dates'] {
  const orders = contents.flatMap(({ dates }, index) =>
    dates && isKind(targets[index], /^Date/, resource) ? [dates] : [],
  )
  const sure = orders.find((order) => order === 'dmy' || order === 'mdy')
  if (sure) return sure
  return orders.includes('unclear') ? ordersDayFirst() : 'iso'
}

function ordersDayFirst(): 'dmy' | 'mdy' {
  const parts = new Intl.DateTimeFormat().formatToParts(new Date(2026, 0, 2))
  const order = parts.map(({ type }) => type)
  return order.indexOf('day') < order.indexOf('month') ? 'dmy' : 'mdy'
}

function decimalIn({ targets, scanned: { contents } }: TargetedFile, resource: Resource): CellSettings['decimal'] {
  const found = contents.some(({ decimal }, index) => decimal === ',' && isKind(targets[index], /^Number$/, resource))
  return found ? ',' : '.'
}

/** Whether a column goes to a field of a kind. */
export function isKind(name: string | null | undefined, kind: RegExp, resource: Resource): boolean {
  const target = name ? parseTarget(name, resource) : undefined
  return target?.kind === 'field' && kind.test(fieldTypes[target.field.type].kind)
}
