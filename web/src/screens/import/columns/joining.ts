import { fieldTypes } from '@kith/contract/field-types'
import type { ImportTarget } from '@kith/contract/import/target'
import type { OutputColumn } from '../reading/rewrite.ts'

/** Whether several columns can go to one target: parts of a name, or values of a list. */
export function isJoined(target: ImportTarget): boolean {
  if (target.kind === 'field')
    return (
      fieldTypes[target.field.type].list && (target.field.multiple || fieldTypes[target.field.type].hasOptions === true)
    )
  return target.kind === 'label' || target.kind === 'links' || target.kind === 'external_ids'
}

const SPLIT: ReadonlySet<string> = new Set(['Emails', 'Phones', 'Domains'])

/** How the cells of its columns are joined. */
export function joinOf(target: ImportTarget | null): OutputColumn['join'] {
  if (target?.kind === 'field' && fieldTypes[target.field.type].list) {
    return SPLIT.has(fieldTypes[target.field.type].kind) ? 'split' : 'list'
  }
  return target?.kind === 'links' || target?.kind === 'external_ids' ? 'list' : 'text'
}
