import { allowed } from './growth-allowed.ts'

/** A case at one size: how many records it found, how long the first question took in ms, and CPU for each of the others in µs. */
export type GrowthPoint = { size: number; perSecond: number; cpu: number; first: number; total: number | undefined }

/** Requests/s and CPU time of every case at every size, and how much slower the largest is than the smallest. */
export function growthTable(sizes: readonly number[], lines: ReadonlyMap<string, readonly GrowthPoint[]>): string {
  const named = sizes.map((size) => size.toLocaleString('en'))
  const columns = ['requests/s (CPU µs)', ...named, 'slower by', 'may be', 'CPU', 'first ms', 'found']
  const rows = [...lines].map(([name, points]) => {
    const [small, large] = [points[0], points.at(-1)]
    const cells = [
      name,
      ...points.map(({ perSecond, cpu }) => `${perSecond.toLocaleString('en')} (${cpu.toLocaleString('en')})`),
      times((small?.perSecond ?? 0) / Math.max(1, large?.perSecond ?? 1)),
      `${allowed[name]} ×`,
      times((large?.cpu ?? 0) / Math.max(1, small?.cpu ?? 1)),
      points.map(({ first }) => first.toLocaleString('en')).join(', '),
      points.map(({ total }) => total?.toLocaleString('en') ?? '').join(', '),
    ]
    return `| ${cells.join(' | ')} |`
  })
  return [`| ${columns.join(' | ')} |`, `|${'---|'.repeat(columns.length)}`, ...rows].join('\n')
}

function times(ratio: number): string {
  return `${ratio.toFixed(2)} ×`
}
