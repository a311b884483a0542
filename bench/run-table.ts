import type { Measured } from './load.ts'

/** A case as it was measured: asked again and again, asked anew each time, and the limit beside it. */
export type Row = { name: string; kith: Measured; anew: Measured | undefined; limit: Measured | undefined }

/** Requests/s to be reached on SQLite: ahead of PocketBase, and 20 times Twenty and Directus in reads, as they were measured on a machine of this kind. */
const targets: readonly [start: string, perSecond: number][] = [
  ['get by id', 5072],
  ['list of 15', 4160],
  ['list of 100', 2820],
  ['name contains', 3440],
  ['select + range', 3220],
  ['page 5,000', 2500],
  ['create', 3365],
]

type About = {
  /** In megabytes. */
  memory: readonly [rest: number, full: number]
  /** How much of the targets is wanted. */
  share: number
  /** The same cases on SQLite, right beside these. */
  beside: readonly Row[] | undefined
}

export function tableOf(title: string, rows: readonly Row[], { memory, share, beside }: About): string {
  const columns = [
    'case',
    'requests/s',
    'wanted',
    'p50 ms',
    'p99 ms',
    'CPU µs',
    'of the limit',
    'anew/s',
    'anew CPU µs',
  ]
  const head = [...columns, ...(beside ? ['of SQLite', 'anew, of SQLite'] : []), 'errors']
  const lines = rows.map(({ name, kith, anew, limit }) => {
    const other = beside?.find((row) => row.name === name)
    const cells = [
      name,
      whole(kith.perSecond),
      wanted(name, share),
      kith.p50,
      kith.p99,
      whole(kith.cpuPerRequest * 1e6),
      ratio(kith, limit),
      anew ? whole(anew.perSecond) : '',
      anew ? whole(anew.cpuPerRequest * 1e6) : '',
      ...(beside ? [ratio(kith, other?.kith), ratio(anew, other?.anew)] : []),
      kith.errors + (anew?.errors ?? 0),
    ]
    return `| ${cells.join(' | ')} |`
  })
  const top = `| ${head.join(' | ')} |\n|${'---|'.repeat(head.length)}`
  return `### ${title}\n\n${top}\n${lines.join('\n')}\n\nMemory: ${memory[0]} MB at rest, ${memory[1]} MB after the run.`
}

function ratio(one: Measured | undefined, other: Measured | undefined): string {
  return one && other ? `${whole((one.perSecond / other.perSecond) * 100)} %` : ''
}

export function whole(number: number): string {
  return Math.round(number).toLocaleString('en')
}

/** On PostgreSQL, half of what is to be reached on SQLite. */
function wanted(name: string, share: number): string {
  const [, target] = targets.find(([start]) => name.startsWith(start)) ?? []
  return target === undefined || share === 0 ? '' : whole(target * share)
}
