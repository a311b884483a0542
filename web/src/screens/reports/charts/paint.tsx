import { type ReactNode, useId } from 'react'
import { flow } from './axis.ts'

/** Text in a chart. */
const FONT_SIZE = 12
export const FONT = "'Inter Variable', Inter, system-ui, sans-serif"

/** The frame of a chart. Its marks can be reached by keyboard, so it is a group and not an image. */
export function Drawing(props: { title: string; width: number; height: number; children: ReactNode }) {
  const { title, width, height, children } = props
  return (
    // biome-ignore lint/a11y/useSemanticElements: a drawing is no part of a form
    <svg
      role="group"
      aria-label={title}
      width={width}
      height={height}
      viewBox={`0 0 ${width} ${height}`}
      fontFamily={FONT}
      fontSize={FONT_SIZE}
    >
      {children}
    </svg>
  )
}

let context: CanvasRenderingContext2D | null | undefined

/** How wide a text is, in pixels. */
export function textWidth(text: string): number {
  context ??= document.createElement('canvas').getContext('2d')
  if (!context) return text.length * (FONT_SIZE / 2)
  context.font = `${FONT_SIZE}px ${FONT}`
  return context.measureText(text).width
}

/** The text, or its beginning if there is not enough room. */
export function shortened(text: string, room: number): string {
  if (textWidth(text) <= room) return text
  let [low, high] = [0, text.length]
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (textWidth(`${text.slice(0, middle).trimEnd()}…`) <= room) low = middle
    else high = middle - 1
  }
  return `${text.slice(0, low).trimEnd()}…`
}

/** The colours of series, each of which has a pattern, a dash and a shape of its own as well. */
const colors = [
  'var(--accent)',
  'var(--chart-second)',
  'var(--chart-third)',
  'var(--tint-purple-ink)',
  'var(--tint-red-ink)',
  'var(--quiet)',
] as const

export function colorOf(series: number): string {
  return colors[series % colors.length] ?? colors[0]
}

const dashes = ['', '7 4', '2 3', '10 3 2 3', '4 2', '1 4'] as const

export function dashOf(series: number): string {
  return dashes[series % dashes.length] ?? ''
}

const TILE = 7

/** What the patterns draw over a light ground. The first series is plain. */
const patterns = [
  undefined,
  `M0,${TILE} L${TILE},0 M-1,1 L1,-1 M${TILE - 1},${TILE + 1} L${TILE + 1},${TILE - 1}`,
  `M0,0 L${TILE},${TILE} M${TILE - 1},-1 L${TILE + 1},1 M-1,${TILE - 1} L1,${TILE + 1}`,
  `M0,${TILE / 2} L${TILE},${TILE / 2}`,
  `M${TILE / 2},0 L${TILE / 2},${TILE}`,
  `M0,${TILE / 2} L${TILE},${TILE / 2} M${TILE / 2},0 L${TILE / 2},${TILE}`,
] as const

/** A name for the patterns of a chart, which an address can have. */
export function usePatternId(): string {
  return `chart${useId().replaceAll(/\W/g, '')}`
}

/** The patterns of the bars of a chart. `id` tells them apart from those of other charts on the page. */
export function Patterns({ id, count }: { id: string; count: number }) {
  return (
    <defs>
      {patterns.slice(0, count).map((path, series) =>
        path === undefined ? null : (
          <pattern key={path} id={`${id}-${series}`} width={TILE} height={TILE} patternUnits="userSpaceOnUse">
            <rect width={TILE} height={TILE} fill="var(--paper)" />
            <rect width={TILE} height={TILE} fill={colorOf(series)} fillOpacity={0.18} />
            <path d={path} stroke={colorOf(series)} strokeWidth={1.6} />
          </pattern>
        ),
      )}
    </defs>
  )
}

/** The fill of the bars of a series. Bars have an outline of its colour. */
export function fillOf(series: number, id: string): string {
  const place = series % patterns.length
  return patterns[place] === undefined ? colorOf(series) : `url(#${id}-${place})`
}

/** A mark of a line: a circle, a square, a diamond or a triangle. */
export function Marker({ series, x, y }: { series: number; x: number; y: number }) {
  const paint = { fill: 'var(--paper)', stroke: colorOf(series), strokeWidth: 2 }
  switch (series % 4) {
    case 0:
      return <circle cx={x} cy={y} r={3.5} {...paint} fill={colorOf(series)} />
    case 1:
      return <rect x={x - 3.5} y={y - 3.5} width={7} height={7} {...paint} />
    case 2:
      return <path d={`M${x},${y - 5} L${x + 5},${y} L${x},${y + 5} L${x - 5},${y} Z`} {...paint} />
    default:
      return <path d={`M${x},${y - 5} L${x + 5},${y + 4} L${x - 5},${y + 4} Z`} {...paint} />
  }
}

const SWATCH = 14
const LINE = 20

/** Where the names of the series go, and how high they are together. One series needs no legend. */
export function legendOf(names: readonly string[], width: number) {
  if (names.length < 2) return { height: 0, places: [] }
  const shown = names.map((name) => shortened(name, width - SWATCH - 12))
  const places = flow(
    shown.map((name) => textWidth(name) + SWATCH + 24),
    width,
  )
  const lines = Math.max(0, ...places.map(({ line }) => line)) + 1
  return { height: lines * LINE + 4, places: places.map((place, index) => ({ ...place, name: shown[index] ?? '' })) }
}

export function Legend(props: { legend: ReturnType<typeof legendOf>; id: string; lines: boolean }) {
  const { legend, id, lines } = props
  return (
    <g aria-hidden>
      {legend.places.map(({ x, line, name }, series) => {
        const y = line * LINE + LINE / 2
        return (
          <g key={name}>
            {lines ? (
              <>
                <path
                  d={`M${x},${y} h${SWATCH}`}
                  stroke={colorOf(series)}
                  strokeWidth={2}
                  strokeDasharray={dashOf(series)}
                />
                <Marker series={series} x={x + SWATCH / 2} y={y} />
              </>
            ) : (
              <rect
                x={x + 0.5}
                y={y - 5}
                width={SWATCH - 2}
                height={10}
                fill={fillOf(series, id)}
                stroke={colorOf(series)}
              />
            )}
            <text x={x + SWATCH + 6} y={y} dominantBaseline="central" fill="var(--ink)">
              {name}
            </text>
          </g>
        )
      })}
    </g>
  )
}
