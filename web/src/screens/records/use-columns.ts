import type { ResourceName } from '@kith/contract/resource'
import { useEffect, useMemo } from 'react'
import { useSlug } from '../../api/workspace.ts'
import { useListProperties, useProperties } from '../../properties/use-properties.ts'
import { type Column, columnOf, columnsIn, columnsText } from './columns.ts'
import { useListState } from './list-state.ts'

/** The columns of the list. They are part of the URL and are also stored on this device. */
export function useColumns(resource: ResourceName): [Column[], (columns: readonly Column[]) => void] {
  const slug = useSlug()
  const properties = useListProperties(resource)
  const [{ columns: text, view }, change] = useListState()
  const place = `kith.columns.${slug}.${resource}`
  const columns = useMemo(() => columnsIn(text, properties), [text, properties])
  // biome-ignore lint/correctness/useExhaustiveDependencies: an address without columns is completed once, when it is opened
  useEffect(() => {
    const remembered = localStorage.getItem(place)
    if (text === undefined && view === undefined && remembered !== null) change({ columns: remembered })
  }, [place, text === undefined])
  const choose = (chosen: readonly Column[]) => {
    const next = columnsText(chosen)
    localStorage.setItem(place, next)
    change({ columns: next })
  }
  return [columns, choose]
}

/** A new record must be given what is required, so those columns are there while it is written. */
export function useDraftColumns(resource: ResourceName, columns: Column[], drafting: boolean): Column[] {
  const properties = useProperties(resource)
  if (!drafting) return columns
  const missing = properties.filter(
    (property) =>
      property.kind === 'custom' &&
      property.field.required &&
      !columns.some((column) => column.property.key === property.key),
  )
  return [...columns, ...missing.map(columnOf)]
}
