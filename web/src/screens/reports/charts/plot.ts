import type { LinkProps } from '@tanstack/react-router'
import type { FilterObject } from '../../records/list-state.ts'
import type { ChartData, Mark } from '../chart-data.ts'

/** The address of the list of the records that a mark stands for. */
export type OpenList = (filter: FilterObject) => Pick<LinkProps, 'to' | 'params' | 'search'>

export type PlotProps = {
  /** What the chart is called. */
  title: string
  data: ChartData
  width: number
  open: OpenList
}

/** All values that the axis must hold: the sums of the bars if their parts are stacked. */
export function valuesOf({ series, stacked, labels }: ChartData): number[] {
  const all = series.flatMap(({ marks }) => marks.flatMap(({ value }) => value ?? []))
  if (!stacked) return all
  const parts = labels.map((_, place) => series.map(({ marks }) => marks[place]?.value ?? 0))
  const sum = (values: readonly number[], sign: number) =>
    values.filter((value) => value * sign > 0).reduce((total, value) => total + value, 0)
  return parts.flatMap((values) => [sum(values, 1), sum(values, -1)])
}

/** A part of a bar: from one value to another one. */
export type Part = { series: number; mark: Mark; from: number; to: number }

/** The parts of the bar at a place: stacked from zero, or each from zero. */
export function partsAt({ series, stacked }: ChartData, place: number): Part[] {
  let [up, down] = [0, 0]
  return series.flatMap(({ marks }, number): Part[] => {
    const mark = marks[place]
    if (!mark || mark.value === null) return []
    const { value } = mark
    if (!stacked) return [{ series: number, mark, from: 0, to: value }]
    if (value === 0) return []
    const from = value > 0 ? up : down
    if (value > 0) up += value
    else down += value
    return [{ series: number, mark, from, to: from + value }]
  })
}
