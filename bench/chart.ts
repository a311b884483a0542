/** One case: its figure at each size. */
export type Line = { name: string; points: { x: number; y: number }[] }

const WIDTH = 860
const HEIGHT = 420
const LEFT = 64
const RIGHT = 220
const TOP = 24
const BOTTOM = 48
const COLOURS = ['#2563eb', '#0d9488', '#b45309', '#7c3aed', '#be123c', '#4d7c0f', '#0369a1']

/** Lines over two logarithmic axes, as a picture that reads on light and on dark pages. */
export function chartOf(lines: readonly Line[]): string {
  const points = lines.flatMap((line) => line.points)
  const x = scale(
    points.map((point) => point.x),
    LEFT,
    WIDTH - RIGHT,
  )
  const y = scale(
    points.map((point) => point.y),
    HEIGHT - BOTTOM,
    TOP,
  )
  const sizes = [...new Set(points.map((point) => point.x))]
  const names = spread(lines.map((line) => y(line.points.at(-1)?.y ?? 1)))
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="system-ui, sans-serif" font-size="12" fill="#737373">`,
    `<title>Requests per second by the number of records</title>`,
    ...powersOfTen(points.map((point) => point.y)).map(
      (value) =>
        `<path d="M${LEFT} ${y(value)}H${WIDTH - RIGHT}" stroke="#a3a3a3" stroke-opacity=".35"/><text x="${LEFT - 8}" y="${y(value) + 4}" text-anchor="end">${value.toLocaleString('en')}</text>`,
    ),
    ...sizes.map(
      (size) =>
        `<text x="${x(size)}" y="${HEIGHT - BOTTOM + 20}" text-anchor="middle">${size.toLocaleString('en')}</text>`,
    ),
    `<text x="${(LEFT + WIDTH - RIGHT) / 2}" y="${HEIGHT - 8}" text-anchor="middle">records in the workspace</text>`,
    ...lines.map((line, index) => drawn(line, x, y, names[index] ?? 0, COLOURS[index % COLOURS.length] ?? '#000')),
    '</svg>\n',
  ].join('\n')
}

type Scale = (value: number) => number

function scale(values: readonly number[], from: number, to: number): Scale {
  const powers = powersOfTen(values)
  const [low, high] = [Math.log10(powers[0] ?? 1), Math.log10(powers.at(-1) ?? 10)]
  return (value) => Math.round(from + ((Math.log10(value) - low) / Math.max(1, high - low)) * (to - from))
}

/** From the power of ten below all values to the one above. */
function powersOfTen(values: readonly number[]): number[] {
  const low = Math.floor(Math.log10(Math.min(...values)))
  const high = Math.ceil(Math.log10(Math.max(...values)))
  return Array.from({ length: high - low + 1 }, (_, index) => 10 ** (low + index))
}

function drawn({ name, points }: Line, x: Scale, y: Scale, nameAt: number, colour: string): string {
  const path = points.map((point) => `${x(point.x)} ${y(point.y)}`).join('L')
  return `<g><path d="M${path}" fill="none" stroke="${colour}" stroke-width="2"/><text x="${WIDTH - RIGHT + 12}" y="${nameAt + 4}" fill="${colour}">${name}</text></g>`
}

/** Moves names apart that would stand on one another. */
function spread(heights: readonly number[]): number[] {
  const order = heights.map((height, index) => ({ height, index })).sort((a, b) => a.height - b.height)
  let last = Number.NEGATIVE_INFINITY
  const placed = [...heights]
  for (const { height, index } of order) {
    last = Math.max(height, last + 15)
    placed[index] = last
  }
  return placed
}
