import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { installDevPackages } from './dev-packages.ts'

/**
 * Installs what `npm ci` leaves out because only tests, docs and benchmarks need it: packages of the lock file, and
 * what npm does not have: Chromium, and Python with `requests` for the example. With `--long` also what only the long
 * run needs. What is there stays as it is.
 */
installDevPackages()

const isLong = process.argv.includes('--long')
const cluster = ['patroni', 'etcd-server', 'haproxy', 'postgresql-15', 'iproute2']
const forLongRun = isLong ? ['nginx-light', 'caddy', 'pgbouncer', ...cluster] : []
const wanted = ['chromium-headless-shell', 'python3', 'python3-requests', ...forLongRun]
const missing = wanted.filter((name) => spawnSync('dpkg', ['--status', name]).status !== 0)

if (missing.length > 0) {
  run('apt-get', 'update')
  run('apt-get', 'install', '--yes', '--no-install-recommends', ...missing)
}

if (isLong) installPackages()

/** Too large for everybody who installs the project: another Node, checks of the published package, and Prism. */
function installPackages(): void {
  const system = process.platform === 'win32' ? 'win' : process.platform
  const node = `node-${system}-${process.arch}`
  const packages = {
    [node]: '22.23.3',
    '@arethetypeswrong/cli': '0.18.5',
    '@stoplight/prism-cli': '5.16.0',
    publint: '0.3.25',
  }
  const folder = join(import.meta.dirname, '../.cache/test-tools')
  if (Object.keys(packages).every((name) => existsSync(join(folder, 'node_modules', name)))) return
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{ "private": true }')
  const named = Object.entries(packages).map(([name, version]) => `${name}@${version}`)
  run('npm', 'install', '--prefix', folder, '--no-save', '--ignore-scripts', ...named)
}

function run(command: string, ...args: string[]): void {
  const { status, error } = spawnSync(command, args, { stdio: 'inherit' })
  if (status === 0) return
  const reason = error ? error.message : `${command} ended with ${status}`
  console.error(
    `The tools of the tests could not be installed: ${reason}. On other systems install Chromium (and set ` +
      'CHROMIUM_PATH) and Python 3 with the package requests by hand.',
  )
  process.exit(1)
}
