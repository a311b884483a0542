import { spawnSync } from 'node:child_process'

/**
 * Installs what the tests need and npm does not have: Chromium, and Python with `requests` for the example. With
 * `--long` also what only the long run needs. What is there stays as it is.
 */
const forLongRun = process.argv.includes('--long') ? ['nginx-light', 'caddy', 'pgbouncer'] : []
const wanted = ['chromium-headless-shell', 'python3', 'python3-requests', ...forLongRun]
const missing = wanted.filter((name) => spawnSync('dpkg', ['--status', name]).status !== 0)

if (missing.length > 0) {
  run('apt-get', 'update')
  run('apt-get', 'install', '--yes', '--no-install-recommends', ...missing)
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
