import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const path = join(import.meta.dirname, '..', 'docs', 'benchmarks.md')

/** Puts what was measured between the marks of its section in docs/benchmarks.md; the words around it are written by hand. */
export function writeSection(name: string, text: string): void {
  const [open, close] = [`<!-- ${name} -->`, `<!-- /${name} -->`]
  const page = readFileSync(path, 'utf8')
  const [from, to] = [page.indexOf(open), page.indexOf(close)]
  if (from === -1 || to === -1) throw new Error(`docs/benchmarks.md has no section ${name}.`)
  writeFileSync(path, `${page.slice(0, from + open.length)}\n\n${text}\n\n${page.slice(to)}`)
}
