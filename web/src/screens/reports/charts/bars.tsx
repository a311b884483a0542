import { axisOf, labelStep, placeOn } from './axis.ts'
import { FocusRing, MarkLink } from './mark-link.tsx'
import { colorOf, Drawing, fillOf, Legend, legendOf, Patterns, shortened, textWidth, usePatternId } from './paint.tsx'
import { type Part, type PlotProps, partsAt, valuesOf } from './plot.ts'
import { TimeAxis, timeFrame } from './time-axis.tsx'

/** Bars: side by side along time, otherwise one below the other, so that long names can be read. */
export function Bars(props: PlotProps) {
  return props.data.isTime ? <Columns {...props} /> : <Rows {...props} />
}

const BAR = 18
const THIN = 13
const GAP = 10
const AXIS = 22

/** The value at the end of a bar, where there is one. Stacked bars have their sum. */
function endOf({ data }: PlotProps, parts: readonly Part[]): string {
  const sum = parts.reduce((total, { mark }) => total + (mark.value ?? 0), 0)
  return parts.length === 0 ? '' : data.short(sum)
}

function nameOf({ data }: PlotProps, place: number, series: number): string {
  const label = data.labels[place] ?? ''
  return data.series.length > 1 ? `${label}, ${data.series[series]?.name}` : label
}

function Rows(props: PlotProps) {
  const { title, data, width, open } = props
  const id = usePatternId()
  const legend = legendOf(
    data.series.map(({ name }) => name),
    width,
  )
  const bars = data.stacked ? 1 : data.series.length
  const bar = bars === 1 ? BAR : THIN
  const row = bars * bar + GAP
  const left = Math.min(width * 0.4, Math.max(0, ...data.labels.map(textWidth)) + 10)
  const values = valuesOf(data)
  // The longest value is written after its bar.
  const right = Math.max(0, ...values.map((value) => textWidth(data.short(value)))) + 10
  const axis = axisOf(values, data.whole)
  const length = Math.max(20, width - left - right)
  const at = (value: number) => left + placeOn(axis, value, length)
  const bottom = legend.height + data.labels.length * row
  const every = labelStep(
    axis.ticks.map((tick) => textWidth(data.short(tick))),
    length / Math.max(1, axis.ticks.length - 1),
  )
  return (
    <Drawing title={title} width={width} height={bottom + AXIS}>
      <Patterns id={id} count={data.series.length} />
      <Legend legend={legend} id={id} lines={false} />
      <g aria-hidden>
        {axis.ticks.map((tick, place) => (
          <g key={tick}>
            <path d={`M${at(tick)},${legend.height} V${bottom}`} stroke={tick === 0 ? 'var(--quiet)' : 'var(--line)'} />
            {place % every === 0 && (
              <text x={at(tick)} y={bottom + 15} textAnchor="middle" fill="var(--quiet)">
                {data.short(tick)}
              </text>
            )}
          </g>
        ))}
      </g>
      {data.labels.map((label, place) => {
        const top = legend.height + place * row + GAP / 2
        const parts = partsAt(data, place)
        const end = Math.max(...parts.map(({ to }) => at(to)), at(0))
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: two groups may have the same name
          <g key={place}>
            <text
              aria-hidden
              x={left - 8}
              y={top + (bars * bar) / 2}
              textAnchor="end"
              dominantBaseline="central"
              fill="var(--ink)"
            >
              {shortened(label, left - 10)}
            </text>
            {parts.map((part) => {
              const y = top + (data.stacked ? 0 : part.series * bar)
              const [from, to] = [Math.min(at(part.from), at(part.to)), Math.max(at(part.from), at(part.to))]
              const box = { x: from, y: y + 1, width: Math.max(1, to - from), height: bar - 2 }
              return (
                <MarkLink key={part.series} name={nameOf(props, place, part.series)} mark={part.mark} open={open}>
                  {/* The whole line can be pointed at. */}
                  <rect x={from} y={y} width={Math.max(12, to - from)} height={bar} fill="transparent" />
                  <rect {...box} rx={2} fill={fillOf(part.series, id)} stroke={colorOf(part.series)} />
                  <FocusRing {...box} />
                  {!data.stacked && (
                    <text x={Math.max(to, at(0)) + 6} y={y + bar / 2} dominantBaseline="central" fill="var(--ink)">
                      {data.short(part.mark.value ?? 0)}
                    </text>
                  )}
                </MarkLink>
              )
            })}
            {data.stacked && (
              <text aria-hidden x={end + 6} y={top + bar / 2} dominantBaseline="central" fill="var(--ink)">
                {endOf(props, parts)}
              </text>
            )}
          </g>
        )
      })}
    </Drawing>
  )
}

function Columns(props: PlotProps) {
  const { title, data, width, open } = props
  const id = usePatternId()
  const frame = timeFrame({ data, width }, valuesOf(data))
  const { room, middle, y } = frame
  const bars = data.stacked ? 1 : data.series.length
  const bar = Math.max(2, Math.min(44, (room * 0.72) / bars))
  const fits = (text: string) => textWidth(text) <= Math.max(bar, room / bars) - 2
  return (
    <Drawing title={title} width={width} height={frame.height}>
      <Patterns id={id} count={data.series.length} />
      <Legend legend={frame.legend} id={id} lines={false} />
      <TimeAxis data={data} frame={frame} />
      {data.labels.map((_, place) => {
        const start = middle(place) - (bars * bar) / 2
        const parts = partsAt(data, place)
        const peak = Math.min(...parts.map(({ to }) => y(to)), y(0))
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: two groups may have the same name
          <g key={place}>
            {parts.map((part) => {
              const x = start + (data.stacked ? 0 : part.series * bar)
              const [high, low] = [Math.min(y(part.from), y(part.to)), Math.max(y(part.from), y(part.to))]
              const box = { x: x + 0.5, y: high, width: bar - 1, height: low - high }
              const told = data.short(part.mark.value ?? 0)
              return (
                <MarkLink key={part.series} name={nameOf(props, place, part.series)} mark={part.mark} open={open}>
                  <rect
                    x={x}
                    y={Math.min(high, low - 12)}
                    width={bar}
                    height={Math.max(12, low - high)}
                    fill="transparent"
                  />
                  <rect {...box} fill={fillOf(part.series, id)} stroke={colorOf(part.series)} />
                  <FocusRing {...box} />
                  {!data.stacked && fits(told) && part.mark.value !== 0 && (
                    <text x={x + bar / 2} y={high - 5} textAnchor="middle" fill="var(--ink)">
                      {told}
                    </text>
                  )}
                </MarkLink>
              )
            })}
            {data.stacked && parts.length > 0 && fits(endOf(props, parts)) && (
              <text aria-hidden x={start + bar / 2} y={peak - 5} textAnchor="middle" fill="var(--ink)">
                {endOf(props, parts)}
              </text>
            )}
          </g>
        )
      })}
    </Drawing>
  )
}
