import { FocusRing, MarkLink } from './mark-link.tsx'
import { colorOf, Drawing, dashOf, Legend, Marker, textWidth, usePatternId } from './paint.tsx'
import type { PlotProps } from './plot.ts'
import { TimeAxis, timeFrame } from './time-axis.tsx'

/** A line for each series. A line ends where a value is missing, and goes on after it. */
export function Lines({ title, data, width, open }: PlotProps) {
  const id = usePatternId()
  const values = data.series.flatMap(({ marks }) => marks.flatMap(({ value }) => value ?? []))
  const frame = timeFrame({ data, width }, values)
  const { room, middle: x, y } = frame
  const writes = data.series.length === 1 && values.every((value) => textWidth(data.short(value)) < room - 4)
  return (
    <Drawing title={title} width={width} height={frame.height}>
      <Legend legend={frame.legend} id={id} lines />
      <TimeAxis data={data} frame={frame} />
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
