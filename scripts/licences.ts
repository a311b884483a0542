import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { reachable, readLock } from './lock-file.ts'

const root = join(import.meta.dirname, '..')
const PAGE = join(root, 'docs', 'internals', 'licences.md')

/** Licences that allow an MIT product to contain the dependency. */
export const ACCEPTED = [
  'MIT',
  'ISC',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  '0BSD',
  'BlueOak-1.0.0',
  'CC0-1.0',
  'Unlicense',
  'OFL-1.1',
  'Python-2.0',
  'MIT-0',
  'CC-BY-4.0',
  'MPL-2.0',
  'WTFPL',
]

/** Development packages of which code is in the pages of the guide. */
const IN_GUIDE = new Set(
  [
    'vitepress',
    'vue',
    '@vue/reactivity',
    '@vue/runtime-core',
    '@vue/runtime-dom',
    '@vue/shared',
    'minisearch',
    'mark.js',
    'focus-trap',
    'tabbable',
    '@vueuse/core',
    '@vueuse/integrations',
    '@vueuse/shared',
  ].map((name) => `node_modules/${name}`),
)

/** What a release is made of. The dependencies of the repository itself only build it. */
const SHIPPED = ['contract', 'sdk', 'server', 'web', 'node_modules/node']

/** Every package in the lock file that ships with the service, the web app or the guide. */
export function shippedPackages(): { name: string; version: string; licence: string; integrity: string | undefined }[] {
  const { packages } = readLock()
  return [...reachable(packages, SHIPPED), ...IN_GUIDE]
    .flatMap((path) => {
      const { version = '', license: licence = 'unknown', integrity, link } = packages[path] ?? {}
      const [folder, name = ''] = path.split(/^(?:.*\/)?node_modules\//)
      return folder === path || link ? [] : [{ name, version, licence, integrity }]
    })
    .sort((one, other) => (`${one.name} ${one.version}` < `${other.name} ${other.version}` ? -1 : 1))
}

/** The Markdown page that lists them. */
export function licencePage(): string {
  const packages = shippedPackages()
  const counts = Map.groupBy(packages, (one) => one.licence)
  const summary = [...counts]
    .sort(([, one], [, other]) => other.length - one.length)
    .map(([licence, all]) => `${licence}: ${all.length}`)
  const rows = packages.map(({ name, version, licence }) => `| ${name} | ${version} | ${licence} |`)
  return [
    '# Licences',
    '',
    `The ${packages.length} packages that Kith ships with, from \`package-lock.json\` (${summary.join(', ')}).`,
    'Written by `npm run licences`. A test checks that the list is up to date, that every licence is accepted,',
    'and that every package is pinned with its checksum. The interactive reference is a file of @scalar/api-reference',
    '(MIT), kept in `server/reference` with its licence.',
    '',
    '| package | version | licence |',
    '| --- | --- | --- |',
    ...rows,
    '',
  ].join('\n')
}

if (process.argv[1] === import.meta.filename) writeFileSync(PAGE, licencePage())
