import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const PAGE = join(root, 'docs', 'internals', 'licences.md')

type Package = {
  version?: string
  license?: string
  dev?: boolean
  link?: boolean
  resolved?: string
  integrity?: string
  optional?: boolean
}

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
    'minisearch',
    'mark.js',
    'focus-trap',
    'tabbable',
    '@vueuse/core',
    '@vueuse/integrations',
    '@vueuse/shared',
  ].map((name) => `node_modules/${name}`),
)

/** Every package in the lock file that ships with the service, the web app or the guide. */
export function shippedPackages(): { name: string; version: string; licence: string; integrity: string | undefined }[] {
  // The lock file is written by npm in this form.
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, Package>
  }
  return Object.entries(lock.packages)
    .filter(([path, one]) => path.includes('node_modules/') && (!one.dev || IN_GUIDE.has(path)) && !one.link)
    .map(([path, one]) => ({
      name: path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length),
      version: one.version ?? '',
      licence: one.license ?? 'unknown',
      integrity: one.integrity,
    }))
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
