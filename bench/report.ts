import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const path = join(import.meta.dirname, '..', 'docs', 'internals', 'benchmarks.md')

/** Writes a table into its section of docs/internals/benchmarks.md. The text around it is written by hand. */
export function writeSection(name: string, text: string): void {
  const [open, close] = [`<!-- ${name} -->`, `<!-- /${name} -->`]
  const page = readFileSync(path, 'utf8')
  const [from, to] = [page.indexOf(open), page.indexOf(close)]
  if (from === -1 || to === -1) throw new Error(`docs/internals/benchmarks.md has no section ${name}.`)
  writeFileSync(path, `${page.slice(0, from + open.length)}\n\n${text}\n\n${page.slice(to)}`)
}
