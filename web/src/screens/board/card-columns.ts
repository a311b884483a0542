import { fieldTypes } from '@kith/contract/field-types'
import type { ResourceName } from '@kith/contract/resource'
import { useMemo } from 'react'
import type { Property } from '../../properties/property.ts'
import { useListProperties } from '../../properties/use-properties.ts'
import { type Column, columnOf, columnsIn } from '../records/columns.ts'
import { useBoardChoice } from './board-choice.ts'
import { useBoardField } from './board-field.ts'

/** So many properties are on a card until the user chooses others. */
const SHOWN = 5

/** The properties on the cards of a board, the name first, and how to choose others. */
export function useCardColumns(resource: ResourceName): [Column[], (columns: readonly Column[]) => void] {
  const properties = useListProperties(resource)
  const field = useBoardField(resource)
  const [{ card }, choose] = useBoardChoice(resource)
  const columns = useMemo(() => {
    if (card !== undefined) return columnsIn(card, properties)
    const telling = properties.filter((property) => isTelling(property, field?.code))
    return [...properties.filter(({ kind }) => kind === 'name'), ...telling.slice(0, SHOWN)].map(columnOf)
  }, [card, properties, field?.code])
  return [columns, (chosen) => choose({ card: chosen.map(({ property }) => property.key).join(',') })]
}

/** What the column says already, and long texts, are not said again. */
function isTelling(property: Property, code: string | undefined): boolean {
  if (property.kind === 'reference' || property.kind === 'links') return true
  if (property.kind !== 'custom' || property.field.code === code) return false
  return !fieldTypes[property.field.type].multiline
}
