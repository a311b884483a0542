import { cpus, totalmem } from 'node:os'

/** A Markdown table. Numbers from 10 on are shown as integers. */
export function tableOf(columns: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const line = (cells: readonly (string | number)[]) => `| ${cells.map(shown).join(' | ')} |`
  return [line(columns), `|${'---|'.repeat(columns.length)}`, ...rows.map(line)].join('\n')
}

function shown(cell: string | number): string {
  if (typeof cell === 'string') return cell
  return cell.toLocaleString('en', { maximumFractionDigits: cell < 10 ? 2 : 0 })
}

/** The machine that a table was measured on. */
export function machine(): string {
  const memory = Math.round(totalmem() / 2 ** 30)
  return `${cpus().length} × ${cpus()[0]?.model ?? 'CPU'}, ${memory} GiB, Node ${process.version}.`
}
