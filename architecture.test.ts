import { dirname } from 'node:path'
import { describe, expect, it } from 'vitest'
import { allFiles, foldersIn, type Import, importsOf, read, sourceFiles } from './scripts/source-files.ts'

/** What each folder may import from the others. Imports only go down. */
const operations = [
  'accounts',
  'audit',
  'batch',
  'changes',
  'export',
  'fields',
  'jobs',
  'records',
  'views',
  'webhooks',
].map((name) => `server/src/${name}`)
const storage = ['engines', 'query', 'tables', 'migrations'].map((name) => `server/src/storage/${name}`)
const surfaces = [...operations, 'server/src/sample', 'server/src/scope', 'server/src/calls', 'contract/src']

const folders: Readonly<Record<string, readonly string[]>> = {
  'server/src': [
    'server/src/commands',
    'server/src/webhooks',
    'server/src/runtime',
    'server/src/accounts',
    'server/src/storage/engines',
    'contract/src',
  ],
  'server/src/runtime': [
    'server/src',
    'server/src/http',
    'server/src/mcp',
    'server/src/commands',
    'server/src/calls',
    'server/src/scope',
    ...operations,
    ...storage,
    'contract/src',
  ],
  'server/src/calls': ['server/src/accounts', 'server/src/scope', 'server/src/webhooks', ...storage, 'contract/src'],
  'server/src/http': [...surfaces, 'server/src/runtime'],
  'server/src/mcp': surfaces,
  'server/src/commands': [
    ...surfaces,
    'server/src/backup',
    'server/src/runtime',
    'server/src',
    ...storage,
    // The commands that call a service over HTTP.
    'sdk/src',
  ],
  'server/src/backup': ['server/src/records', 'server/src/scope', ...storage, 'contract/src'],
  'server/src/sample': [...operations, 'server/src/scope', ...storage, 'contract/src'],
  'server/src/accounts': [
    ...operations,
    'server/src/scope',
    'server/src/calls',
    'server/src/runtime',
    'server/src',
    ...storage,
    'contract/src',
  ],
  'server/src/batch': [
    'server/src/records',
    'server/src/changes',
    'server/src/fields',
    'server/src/scope',
    ...storage,
    'contract/src',
  ],
  'server/src/webhooks': [
    'server/src/accounts',
    'server/src/audit',
    'server/src/calls',
    'server/src/changes',
    'server/src/fields',
    'server/src/records',
    'server/src/scope',
    ...storage,
    'contract/src',
  ],
  'server/src/views': ['server/src/records', 'server/src/scope', ...storage, 'contract/src'],
  'server/src/audit': ['server/src/records', 'server/src/fields', 'server/src/scope', ...storage, 'contract/src'],
  'server/src/changes': ['server/src/records', 'server/src/fields', 'server/src/scope', ...storage, 'contract/src'],
  'server/src/export': [
    'server/src/changes',
    'server/src/records',
    'server/src/fields',
    'server/src/scope',
    ...storage,
    'contract/src',
  ],
  'server/src/jobs': [
    'server/src/accounts',
    'server/src/batch',
    'server/src/calls',
    'server/src/fields',
    'server/src/records',
    'server/src/scope',
    ...storage,
    'contract/src',
  ],
  'server/src/records': ['server/src/audit', 'server/src/fields', 'server/src/scope', ...storage, 'contract/src'],
  'server/src/fields': ['server/src/audit', 'server/src/records', 'server/src/scope', ...storage, 'contract/src'],
  'server/src/storage/query': [
    'server/src/storage/tables',
    'server/src/storage/engines',
    'server/src/scope',
    'contract/src',
  ],
  'server/src/storage/tables': [
    'server/src/storage/query',
    'server/src/storage/engines',
    'server/src/scope',
    'contract/src',
  ],
  'server/src/storage/migrations': ['server/src/storage/engines', 'contract/src'],
  'server/src/storage/engines': [
    'server/src/storage/tables',
    'server/src/storage/query',
    'server/src/scope',
    'server/src/runtime',
    'contract/src',
  ],
  'server/src/scope': ['server/src/storage/engines', 'contract/src'],
  'contract/src': [],
  'sdk/src': ['contract/src'],
  'web/src': [
    'web/src/api',
    'web/src/components',
    'web/src/format',
    'web/src/screens',
    'web/src/shell',
    'contract/src',
  ],
  'web/src/format': ['contract/src'],
  'web/src/styles': [],
  'web/src/components': [],
  'web/src/keyboard': ['web/src/components'],
  'web/src/api': ['web/src', 'web/src/components', 'web/src/format', 'contract/src', 'sdk/src'],
  'web/src/fields': ['web/src/api', 'web/src/components', 'web/src/format', 'contract/src'],
  'web/src/properties': [
    'web/src',
    'web/src/api',
    'web/src/fields',
    'web/src/components',
    'web/src/format',
    'contract/src',
  ],
  'web/src/markdown': ['web/src/components'],
  'web/src/shell': [
    'web/src',
    'web/src/api',
    'web/src/components',
    'web/src/format',
    'web/src/keyboard',
    'contract/src',
  ],
  'web/src/screens': [
    'web/src',
    'web/src/markdown',
    'web/src/api',
    'web/src/shell',
    'web/src/properties',
    'web/src/fields',
    'web/src/components',
    'web/src/format',
    'web/src/keyboard',
    'contract/src',
    'sdk/src',
  ],
}

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
  undici: ['server/src/webhooks'],
  'ipaddr.js': ['server/src/webhooks'],
  'node:worker_threads': ['server/src/calls'],
  'prom-client': ['server/src/runtime'],
  '@opentelemetry': ['server/src/runtime'],
}

describe('imports', () => {
  const files = ['contract/src', 'server/src', 'sdk/src', 'web/src'].flatMap(sourceFiles)
  const imports = files.flatMap(importsOf)

  it('have a row in the table for every folder', () => {
    const all = ['server/src', 'server/src/storage', 'web/src'].flatMap(foldersIn)
    expect(all.filter((folder) => folders[folder] === undefined)).toEqual(['server/src/storage'])
  })

  it('only go down', () => {
    const forbidden = imports.filter(({ from, to }) => {
      const folder = folderOf(from)
      const target = folderOf(to)
      const allowed = folder === undefined ? undefined : folders[folder]
      return allowed !== undefined && target !== undefined && target !== folder && !allowed.includes(target)
    })
    expect(forbidden).toEqual([])
  })

  it('of a database, a web server or an identity library stay in one folder', () => {
    const forbidden = imports.filter(({ from, to }) => {
      const keeper = Object.entries(keepers).find(([name]) => to === name || to.startsWith(`${name}/`))
      return keeper !== undefined && !keeper[1].some((room) => from.startsWith(`${room}/`))
    })
    expect(forbidden).toEqual([])
  })

  it('of the contract know neither Node nor a browser', () => {
    const forbidden = imports.filter(({ from, to }) => from.startsWith('contract/') && to.startsWith('node:'))
    expect(forbidden).toEqual([])
  })

  it('of what writes audit entries and changes are in one file, so that no write has one without the other', () => {
    const writing = files.filter((file) => /\b(insertAudit|insertChanges)\(/.test(read(file)))
    expect(writing.toSorted()).toEqual([
      'server/src/audit/write.ts',
      'server/src/storage/tables/audit-log.ts',
      'server/src/storage/tables/changes.ts',
    ])
  })

  it('never form a cycle, imports of types included', () => {
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
  const importers = Map.groupBy(
    [...sources, ...['bench', 'scripts'].flatMap((folder) => allFiles(folder))].flatMap(importsOf),
    ({ to }) => to,
  )

  /** Other files that contain the name and import the file. A test counts only next to what it tests. */
  const isUsed = (file: string, name: string) =>
    (importers.get(file) ?? []).some(({ from }) => {
      const isTest = /\.test\.tsx?$/.test(from)
      return (!isTest || dirname(from) === dirname(file)) && new RegExp(`\\b${name}\\b`).test(read(from))
    })

  it('are used by another file, except those of the published client', () => {
    const unused = sources.flatMap((file) => {
      if (file === 'sdk/src/client.ts') return []
      const declared = read(file).matchAll(/^export (?:async )?(?:function\*?|const|let|class|type) (\w+)/gm)
      return [...declared].flatMap(([, name = '']) => (isUsed(file, name) ? [] : [`${file} ${name}`]))
    })
    expect(unused).toEqual([])
  })
})

/** The folder of a file; the longest name wins. */
function folderOf(path: string): string | undefined {
  return Object.keys(folders)
    .filter((name) => path.startsWith(`${name}/`))
    .sort((a, b) => b.length - a.length)[0]
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
