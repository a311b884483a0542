import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const FILE = join(import.meta.dirname, '../package-lock.json')

export type Package = {
  version?: string
  license?: string
  link?: boolean
  resolved?: string
  integrity?: string
  dev?: boolean
  devOptional?: boolean
  dependencies?: Readonly<Record<string, string>>
  optionalDependencies?: Readonly<Record<string, string>>
  peerDependencies?: Readonly<Record<string, string>>
  peerDependenciesMeta?: Readonly<Record<string, { optional?: boolean }>>
}
export type Packages = Readonly<Record<string, Package>>

export function readLock(): { packages: Packages } {
  // npm writes it in this form.
  return JSON.parse(readFileSync(FILE, 'utf8')) as { packages: Packages }
}

/** The paths of packages, and of all that they need. */
export function reachable(packages: Packages, from: readonly string[]): Set<string> {
  const found = new Set<string>()
  const visit = (path: string): void => {
    const one = packages[path]
    if (one === undefined || found.has(path)) return
    found.add(path)
    const peers = Object.keys(one.peerDependencies ?? {}).filter((name) => !one.peerDependenciesMeta?.[name]?.optional)
    const needed = [...Object.keys({ ...one.dependencies, ...one.optionalDependencies }), ...peers]
    for (const name of needed) visit(placeOf(packages, one.link ? (one.resolved ?? '') : path, name))
  }
  for (const path of from) visit(path)
  return found
}

/** Where Node finds a package that another one imports: in its folder, or in one above. */
function placeOf(packages: Packages, from: string, name: string): string {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/')))) {
    const path = `${folder === '' ? '' : `${folder}/`}node_modules/${name}`
    if (path in packages || folder === '') return path
  }
}

/**
 * The packages such that `npm ci` leaves out what only tests, docs and benchmarks need. npm would install some of it
 * for everybody, because other packages can use it if it is there, such as Vue: these optional peers are not listed.
 */
export function withoutDev(packages: Packages): Packages {
  const needed = reachable(packages, ['', 'contract', 'sdk', 'server', 'web'])
  const entries = Object.entries(packages).map(([path, one]): [string, Package] => {
    if (!path.includes('node_modules/') || one.link) return [path, one]
    const { devOptional: _, ...others } = one
    return [
      path,
      needed.has(path) ? withPeers(one, (name) => needed.has(placeOf(packages, path, name))) : { ...others, dev: true },
    ]
  })
  return Object.fromEntries(entries)
}

function withPeers(one: Package, isNeeded: (name: string) => boolean): Package {
  const { peerDependencies: peers, peerDependenciesMeta: meta } = one
  if (peers === undefined || meta === undefined) return one
  const isKept = ([name]: [string, unknown]) => !meta[name]?.optional || isNeeded(name)
  return {
    ...one,
    peerDependencies: Object.fromEntries(Object.entries(peers).filter(isKept)),
    peerDependenciesMeta: Object.fromEntries(Object.entries(meta).filter(isKept)),
  }
}

if (import.meta.main) {
  const lock = readLock()
  writeFileSync(FILE, `${JSON.stringify({ ...lock, packages: withoutDev(lock.packages) }, null, 2)}\n`)
}
