import { readdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { describe, expect, it } from 'vitest'
import { allFiles, type Import, importsOf, read, sourceFiles } from './scripts/source-files.ts'

/** Packages that only one folder may import. */
const keepers: Readonly<Record<string, readonly string[]>> = {
  kysely: ['server/src/storage/engines'],
  pg: ['server/src/storage/engines'],
  'node:sqlite': ['server/src/storage/engines'],
  fastify: ['server/src/http'],
  'better-auth': ['server/src/accounts'],
  '@better-auth': ['server/src/accounts'],
  '@modelcontextprotocol': ['server/src/mcp'],
  'csv-parse': ['server/src/jobs'],
  undici: ['server/src/outbound'],
  aws4fetch: ['server/src/contents'],
  'ipaddr.js': ['server/src/outbound'],
  'node:worker_threads': ['server/src/calls'],
  'prom-client': ['server/src/telemetry'],
  '@opentelemetry': ['server/src/telemetry'],
}

/** Folders that must not know others, although no cycle would come of it. */
const strangers: Readonly<Record<string, readonly string[]>> = {
  'contract/': ['node:', 'server/', 'sdk/', 'web/'],
  'sdk/': ['node:', 'server/', 'web/'],
  'web/': ['server/'],
  'server/src/http/': ['server/src/storage', 'server/src/mcp'],
  'server/src/mcp/': ['server/src/storage', 'server/src/http'],
}

describe('imports', () => {
  const files = ['contract/src', 'server/src', 'sdk/src', 'web/src'].flatMap(sourceFiles)
  const imports = files.flatMap(importsOf)

  it('of folders never form a cycle, imports of types included', () => {
    const between = imports.map(({ from, to }) => ({ from: folderOf(from), to: folderOf(to) }))
    expect(cycles(between.filter(({ from, to }) => from !== to))).toEqual([])
  })

  it.each(Object.entries(strangers))('of %s never go to %s', (folder, others) => {
    const forbidden = imports.filter(
      ({ from, to }) => from.startsWith(folder) && others.some((other) => to.startsWith(other)),
    )
    expect(forbidden).toEqual([])
  })

  it('of the runtime are in the program alone: it only composes', () => {
    const into = imports.filter(({ to }) => folderOf(to) === 'server/src/runtime')
    const importers = new Set(into.map(({ from }) => from).filter((from) => folderOf(from) !== 'server/src/runtime'))
    expect([...importers]).toEqual(['server/src/main.ts'])
  })

  it('of a database, a web server or an identity library stay in one folder', () => {
    const forbidden = imports.filter(({ from, to }) => {
      const keeper = Object.entries(keepers).find(([name]) => to === name || to.startsWith(`${name}/`))
      return keeper !== undefined && !keeper[1].some((room) => from.startsWith(`${room}/`))
    })
    expect(forbidden).toEqual([])
  })

  it('of what writes audit entries and changes are in one file, so that no write has one without the other', () => {
    const writing = files.filter((file) => /\bauditTable\b|\binsertChanges\(/.test(read(file)))
    expect(writing.toSorted()).toEqual([
      'server/src/journal/write.ts',
      'server/src/storage/tables/audit-log.ts',
      'server/src/storage/tables/changes.ts',
    ])
  })

  it('of files never form a cycle either', () => {
    expect(cycles(imports)).toEqual([])
  })

  it('go to the file that holds the thing, not to a barrel, and nothing is exported by default', () => {
    const barrels = files.filter((file) => /\/index\.tsx?$/.test(file) || /^export \* from/m.test(read(file)))
    const defaults = files.filter((file) => /^export default /m.test(read(file)))
    expect({ barrels, defaults }).toEqual({ barrels: [], defaults: [] })
  })
})

describe('exports', () => {
  const sources = ['contract/src', 'server/src', 'sdk/src', 'web/src'].flatMap((folder) => allFiles(folder))
  const others = ['bench', 'scripts', 'server/test', 'web/test'].flatMap((folder) => allFiles(folder))
  const roots = readdirSync(import.meta.dirname).filter((name) => name.endsWith('.test.ts'))
  const importers = Map.groupBy([...sources, ...others, ...roots].flatMap(importsOf), ({ to }) => to)

  /** A test alone is no reason to have something: its own file must use it, too, or the test is next to it. */
  const isUsed = (file: string, name: string) => {
    const word = new RegExp(`\\b${name}\\b`, 'g')
    const isUsedInside = [...read(file).matchAll(word)].length > 1
    return (importers.get(file) ?? []).some(({ from }) => {
      const isTest = /\.test\.tsx?$|\/test\//.test(from)
      return (!isTest || isUsedInside || dirname(from) === dirname(file)) && read(from).search(word) >= 0
    })
  }

  it('are used by another file, except those of the published client', () => {
    const unused = sources.flatMap((file) => {
      if (file === 'sdk/src/client.ts') return []
      const declared = read(file).matchAll(/^export (?:async )?(?:function\*?|const|let|class|type) (\w+)/gm)
      return [...declared].flatMap(([, name = '']) => (isUsed(file, name) ? [] : [`${file} ${name}`]))
    })
    expect(unused).toEqual([])
  })
})

/** The folder of a file, in storage the one inside of it. A file next to the folders stands for itself. */
function folderOf(path: string): string {
  return /^(contract|sdk)\/src|^(server|web)\/src\/(storage\/[^/]+|[^/]+)/.exec(path)?.[0] ?? path
}

function cycles(imports: readonly Import[]): string[][] {
  const next = new Map<string, string[]>()
  for (const { from, to } of imports) next.set(from, [...(next.get(from) ?? []), to])
  const done = new Set<string>()
  const found: string[][] = []
  const visit = (file: string, path: string[]) => {
    if (path.includes(file)) found.push([...path.slice(path.indexOf(file)), file])
    else if (!done.has(file)) {
      for (const target of next.get(file) ?? []) visit(target, [...path, file])
      done.add(file)
    }
  }
  for (const file of next.keys()) visit(file, [])
  return found
}
