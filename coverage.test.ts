import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, normalize } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = import.meta.dirname
const page = read('docs/internals/coverage.md')

/** The files that the page links to, by the name in its rows. */
const files = new Map(
  [...page.matchAll(/^\[([^\]]+)\]: (\S+)$/gm)].map(([, name = '', path = '']) => [
    name,
    normalize(join('docs/internals', path)),
  ]),
)

type Row = { sentence: string; tests: string; references: { file: string; title: string }[] }

const rows: readonly Row[] = page
  .split('\n')
  .filter((line) => /^\| /.test(line) && !/^\| sentence \| tests \|$/.test(line))
  .map(readRow)

describe('docs/internals/coverage.md', () => {
  it('has a test for every sentence, or says that it is not true yet', () => {
    expect(rows.length).toBeGreaterThan(400)
    const bare = rows.filter(({ references, tests }) => references.length === 0 && !tests.startsWith('not yet'))
    expect(bare).toEqual([])
  })

  it('names files that exist', () => {
    const known = rows.flatMap(({ references }) => references.map(({ file }) => file))
    expect(known.filter((file) => !files.has(file))).toEqual([])
    expect([...files.values()].filter((path) => !existsSync(join(root, path)))).toEqual([])
    expect([...files.keys()].filter((file) => !known.includes(file))).toEqual([])
  })

  it('names tests and groups of tests that exist', () => {
    const lost = rows
      .flatMap(({ references }) => references)
      .filter(({ file, title }) => !titlesIn(files.get(file) ?? '').some((pattern) => pattern.test(title)))
    expect(lost).toEqual([])
  })

  it('names no test that is left out when the others run', () => {
    const left = [...files.values()].filter((path) => /\b(describe|it|test)\.(skip|only|todo|fails)\b/.test(read(path)))
    expect(left).toEqual([])
  })

  it('names for every sentence a test that npm test runs', () => {
    const long = rows.filter(({ references }) => references.length > 0 && references.every(isLongOnly))
    expect(long.map(({ sentence, tests }) => ({ sentence, tests }))).toEqual([])
  })

  it.each(['server/test/both/contract', 'server/test/once/contract', 'server/test/derived'])(
    'leaves out no file of %s',
    (folder) => {
      const named = new Set(files.values())
      const tests = readdirSync(join(root, folder)).filter((name) => name.endsWith('.test.ts'))
      expect(tests.map((name) => `${folder}/${name}`).filter((path) => !named.has(path))).toEqual([])
    },
  )
})

/** `| sentence | [file] › `title`<br>[file] › `title` |` */
function readRow(line: string): Row {
  const [, sentence = '', tests = ''] = line.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll('\\|', '|'))
  const references = [...tests.matchAll(/\[([^\]]+)\] › (`+)(.+?)\2(?!`)/g)]
  return {
    sentence,
    tests,
    references: references.map(([, file = '', , title = '']) => ({ file, title: title.trim() })),
  }
}

/** A file, or a test in it, that runs in `npm run test:long` alone. */
function isLongOnly({ file, title }: { file: string; title: string }): boolean {
  const path = files.get(file) ?? ''
  if (path.endsWith('.long.test.ts')) return true
  const call = new RegExp(`\\.runIf\\(isLong\\)\\(\\s*['"\`]${RegExp.escape(title)}`)
  return path !== '' && call.test(read(path))
}

const patterns = new Map<string, RegExp[]>()

/** What the titles of a file's tests and groups look like. Those that consist of placeholders alone say nothing and are none. */
function titlesIn(path: string): RegExp[] {
  const kept = patterns.get(path)
  if (kept) return kept
  const titles =
    path === ''
      ? []
      : [...read(path).matchAll(/(?:\b(?:describe|it|test)|\))\(\s*(['"`])((?:\\.|(?!\1)[^\\])+)\1\s*,/g)]
  const found = titles
    .map((match) => patternOf((match[2] ?? '').replace(/\\(.)/g, '$1')))
    .filter((one) => one !== undefined)
  patterns.set(path, found)
  return found
}

/** `%s`, `%j` and `${…}` match anything, themselves included. */
function patternOf(title: string): RegExp | undefined {
  const literals = title.split(/%[sdifjoO#]|\$\{[^}]*\}/)
  if (!literals.some((part) => /\p{L}{2}/u.test(part))) return undefined
  return new RegExp(`^${literals.map((part) => RegExp.escape(part)).join('.+')}$`)
}

function read(path: string): string {
  return readFileSync(join(root, path), 'utf8')
}
