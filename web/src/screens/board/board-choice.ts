import { fieldTypes } from '@kith/contract/field-types'
import type { ResourceName } from '@kith/contract/resource'
import { useEffect, useMemo } from 'react'
import { type Field, useFields } from '../../api/fields.ts'
import { useResource } from '../../api/schema.ts'
import { useSlug } from '../../api/workspace.ts'
import { type Property, useListProperties } from '../../properties/property.ts'
import { isOwner } from '../../properties/property-view.ts'
import { type Column, columnOf, columnsIn } from '../records/columns.ts'
import { includedFields, type ListQuery, useListQuery } from '../records/list-query.ts'
import { type ListState, parseListState, useListState } from '../records/list-state.ts'

type BoardChoice = Pick<ListState, 'card' | 'folded'>

/** What the user has chosen for a board. It is part of the address and is also stored on this device. */
export function useBoardChoice(resource: ResourceName): [BoardChoice, (change: BoardChoice) => void] {
  const [{ card, folded }, change] = useListState()
  const place = usePlace(resource)
  const choose = (changed: BoardChoice) => {
    localStorage.setItem(place, JSON.stringify({ card, folded, ...changed }))
    change(changed)
  }
  return [{ card, folded }, choose]
}

/** An address without a choice gets the last one. */
export function useKeptBoardChoice(resource: ResourceName): void {
  const [{ view, card, folded }, change] = useListState()
  const place = usePlace(resource)
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the board is opened
  useEffect(() => {
    if (view !== undefined || card !== undefined || folded !== undefined) return
    const kept = keptAt(place)
    if (kept.card !== undefined || kept.folded !== undefined) change(kept)
  }, [place])
}

function usePlace(resource: ResourceName): string {
  return `kith.board.${useSlug()}.${resource}`
}

function keptAt(place: string): BoardChoice {
  try {
    const { card, folded } = parseListState(JSON.parse(localStorage.getItem(place) ?? '{}'))
    return { ...(card !== undefined && { card }), ...(folded !== undefined && { folded }) }
  } catch {
    return {}
  }
}

/** The fields whose options, or the records that they name, can make the columns of a board: options first. */
export function useBoardFields(resource: ResourceName): Field[] {
  const fields = useFields(resource)
  const choices = fields.filter(({ type }) => fieldTypes[type].hasOptions && !fieldTypes[type].list)
  return [...choices, ...fields.filter(({ type, multiple }) => fieldTypes[type].refersTo && !multiple)]
}

/** The field that makes them now: the one that the address names, else the first. */
export function useBoardField(resource: ResourceName): Field | undefined {
  const [{ group_by }] = useListState()
  const fields = useBoardFields(resource)
  return fields.find(({ code }) => code === group_by || `custom_fields.${code}` === group_by) ?? fields[0]
}

/** The currency field that is summed up in the head of each column, where there is one. */
export function useSummedField(resource: ResourceName): Field | undefined {
  return useFields(resource).find(({ settings }) => settings.currency !== undefined)
}

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
    const [owners, others] = [telling.filter(isOwner), telling.filter((property) => !isOwner(property))]
    const name = properties.filter(({ kind }) => kind === 'name')
    return [...name, ...owners, ...others.slice(0, SHOWN)].map(columnOf)
  }, [card, properties, field?.code])
  return [columns, (chosen) => choose({ card: chosen.map(({ property }) => property.key).join(',') })]
}

/** Cards leave out the value of their column and long texts. */
function isTelling(property: Property, code: string | undefined): boolean {
  if ('field' in property && property.field?.code === code) return false
  if (property.kind === 'reference' || property.kind === 'links') return true
  return property.kind === 'custom' && !fieldTypes[property.field.type].multiline
}

/** The properties on the cards of a board, as the address asks for them. */
export function useBoardQuery(resource: ResourceName): ListQuery {
  const [columns] = useCardColumns(resource)
  const definition = useResource(resource)
  const query = useListQuery(resource, columns)
  return useMemo(() => ({ ...query, fields: includedFields(definition, columns) }), [query, definition, columns])
}
