import type { ChartData } from '../chart-data.ts'
import { axisOf, labelPlace, labelStep, placeOn } from './axis.ts'
import { legendOf, textWidth } from './paint.tsx'
import type { PlotProps } from './plot.ts'

const HEIGHT = 220
/** The room of the labels. */
const LABELS = 22

/** The places in a chart along time: the height of a value, and the middle of each label, which have the same room. */
export function timeFrame({ data, width }: Pick<PlotProps, 'data' | 'width'>, values: readonly number[]) {
  const legend = legendOf(
    data.series.map(({ name }) => name),
    width,
  )
  const axis = axisOf(values, data.whole)
  const left = Math.max(...axis.ticks.map((tick) => textWidth(data.short(tick)))) + 10
  const [top, bottom] = [legend.height + 18, legend.height + HEIGHT]
  const room = (width - left) / Math.max(1, data.labels.length)
  return {
    legend,
    ticks: axis.ticks,
    left,
    width,
    bottom,
    height: bottom + LABELS,
    room,
    middle: (place: number) => left + (place + 0.5) * room,
    y: (value: number) => bottom - placeOn(axis, value, bottom - top),
  }
}

/** A line for each round value, and the labels below. */
export function TimeAxis({ data, frame }: { data: ChartData; frame: ReturnType<typeof timeFrame> }) {
  const { ticks, left, width, bottom, room, middle, y } = frame
  const every = labelStep(data.labels.map(textWidth), room)
  return (
    <g aria-hidden>
      {ticks.map((tick) => (
        <g key={tick}>
          <path d={`M${left},${y(tick)} H${width}`} stroke={tick === 0 ? 'var(--quiet)' : 'var(--line)'} />
          <text x={left - 8} y={y(tick)} textAnchor="end" dominantBaseline="central" fill="var(--quiet)">
            {data.short(tick)}
          </text>
        </g>
      ))}
      {data.labels.map((label, place) =>
        (data.labels.length - 1 - place) % every === 0 ? (
          <text
            // biome-ignore lint/suspicious/noArrayIndexKey: two groups may have the same name
            key={place}
            x={labelPlace(middle(place), textWidth(label), width)}
            y={bottom + 16}
            textAnchor="middle"
            fill="var(--quiet)"
          >
            {label}
          </text>
        ) : null,
      )}
    </g>
  )
}
