import { axisOf, labelPlace, labelStep, placeOn } from './axis.ts'
import { FocusRing, MarkLink } from './mark-link.tsx'
import { colorOf, Drawing, dashOf, Legend, legendOf, Marker, textWidth, usePatternId } from './paint.tsx'
import type { PlotProps } from './plot.ts'

const HEIGHT = 220
const AXIS = 22

/** A line for each series. A line ends where a value is missing, and goes on after it. */
export function Lines({ title, data, width, open }: PlotProps) {
  const id = usePatternId()
  const legend = legendOf(
    data.series.map(({ name }) => name),
    width,
  )
  const values = data.series.flatMap(({ marks }) => marks.flatMap(({ value }) => value ?? []))
  const axis = axisOf(values, data.whole)
  const left = Math.max(...axis.ticks.map((tick) => textWidth(data.short(tick)))) + 10
  const [top, bottom] = [legend.height + 18, legend.height + HEIGHT]
  const room = (width - left) / Math.max(1, data.labels.length)
  const x = (place: number) => left + (place + 0.5) * room
  const y = (value: number) => bottom - placeOn(axis, value, bottom - top)
  const every = labelStep(data.labels.map(textWidth), room)
  const writes = data.series.length === 1 && values.every((value) => textWidth(data.short(value)) < room - 4)
  return (
    <Drawing title={title} width={width} height={bottom + AXIS}>
      <Legend legend={legend} id={id} lines />
      <g aria-hidden>
        {axis.ticks.map((tick) => (
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
              x={labelPlace(x(place), textWidth(label), width)}
              y={bottom + 16}
              textAnchor="middle"
              fill="var(--quiet)"
            >
              {label}
            </text>
          ) : null,
        )}
      </g>
      {data.series.map(({ name, marks }, series) => (
        <g key={name}>
          <path
            d={pathOf(marks.map(({ value }, place) => (value === null ? undefined : [x(place), y(value)])))}
            fill="none"
            stroke={colorOf(series)}
            strokeWidth={2}
            strokeDasharray={dashOf(series)}
          />
          {marks.map((mark, place) => {
            if (mark.value === null) return null
            const at = { x: x(place), y: y(mark.value) }
            const label = data.labels[place] ?? ''
            return (
              <MarkLink
                // biome-ignore lint/suspicious/noArrayIndexKey: two groups may have the same name
                key={place}
                name={data.series.length > 1 ? `${label}, ${name}` : label}
                mark={mark}
                open={open}
              >
                <circle cx={at.x} cy={at.y} r={10} fill="transparent" />
                <Marker series={series} {...at} />
                <FocusRing x={at.x - 5} y={at.y - 5} width={10} height={10} />
                {writes && (
                  <text x={at.x} y={at.y - 9} textAnchor="middle" fill="var(--ink)">
                    {data.short(mark.value)}
                  </text>
                )}
              </MarkLink>
            )
          })}
        </g>
      ))}
    </Drawing>
  )
}

function pathOf(points: readonly (readonly [number, number] | undefined)[]): string {
  return points
    .map((point, place) => (point ? `${points[place - 1] ? 'L' : 'M'}${point[0]},${point[1]}` : ''))
    .join(' ')
}
