import { fieldTypes } from '@kith/contract/field-types'
import type { SummaryRequest } from '../../../api/records.ts'
import { formatMoney, formatNumber } from '../../../format/numbers.ts'
import { filterBy, type Property } from '../../../properties/property.ts'
import { joined } from '../list-query.ts'
import type { FilterObject } from '../list-state.ts'

/** What the foot of a column can say about all records of the list. */
export type Measure = 'sum' | 'average' | 'minimum' | 'maximum' | 'empty' | 'filled'

export const measureWords: Readonly<Record<Measure, string>> = {
  sum: 'Sum',
  average: 'Average',
  minimum: 'Smallest',
  maximum: 'Largest',
  empty: 'Empty',
  filled: 'Filled',
}

/** What can be measured under a column. */
export function measuresOf(property: Property): Measure[] {
  if (emptyTest(property, true) === undefined) return []
  return isNumeric(property) ? ['sum', 'average', 'minimum', 'maximum', 'empty', 'filled'] : ['empty', 'filled']
}

/** The measures that an address names: `custom_fields.amount~sum,company_id~empty`. */
export function measuresIn(text: string | undefined): ReadonlyMap<string, Measure> {
  const pairs = (text ?? '').split(',').flatMap((part): [string, Measure][] => {
    const [key = '', word = ''] = part.split('~')
    return isMeasure(word) ? [[key, word]] : []
  })
  return new Map(pairs)
}

export function withMeasure(text: string | undefined, key: string, measure: Measure | undefined): string | undefined {
  const measures = new Map(measuresIn(text))
  if (measure) measures.set(key, measure)
  else measures.delete(key)
  return measures.size === 0 ? undefined : [...measures].map(([name, word]) => `${name}~${word}`).join(',')
}

/** The summary that gives a measure. */
export function summaryOf(
  property: Property,
  measure: Measure,
  filter: FilterObject | undefined,
): Pick<SummaryRequest, 'measure' | 'field' | 'filter'> {
  if (measure === 'empty' || measure === 'filled') {
    return { measure: 'count', filter: joined(filter, emptyTest(property, measure === 'empty')) ?? {} }
  }
  const field = property.kind === 'custom' ? `custom_fields.${property.field.code}` : ''
  return { measure: asked[measure], field, ...(filter && { filter }) }
}

/** Addresses of saved views have other words than summaries. */
const asked = { sum: 'sum', average: 'average', minimum: 'smallest', maximum: 'largest' } as const

/** A value as the rows show it. */
export function formatMeasure(property: Property, measure: Measure, value: number): string {
  const settings = property.kind === 'custom' ? property.field.settings : {}
  const isMoney = settings.currency !== undefined && measure !== 'empty' && measure !== 'filled'
  return isMoney ? formatMoney(value, settings) : formatNumber(value)
}

function emptyTest(property: Property, empty: boolean): FilterObject | undefined {
  return filterBy(property, { $is_empty: empty })
}

function isNumeric(property: Property): boolean {
  return property.kind === 'custom' && fieldTypes[property.field.type].decimals !== undefined
}

function isMeasure(word: string): word is Measure {
  return Object.hasOwn(measureWords, word)
}
