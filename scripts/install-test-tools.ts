import { spawnSync } from 'node:child_process'

/**
 * Installs what the tests need and npm does not have: Chromium, and Python with `requests` for the example. With
 * `--long` also what only the long run needs.
 */
const forLongRun = process.argv.includes('--long') ? ['nginx-light', 'caddy', 'pgbouncer'] : []
const steps = [
  ['apt-get', 'update'],
  ['apt-get', 'install', '--yes', '--no-install-recommends', 'chromium', 'python3', 'python3-requests', ...forLongRun],
]

for (const [command = '', ...args] of steps) {
  const { status, error } = spawnSync(command, args, { stdio: 'inherit' })
  if (status === 0) continue
  const reason = error ? error.message : `${command} ended with ${status}`
  console.error(
    `The tools of the tests could not be installed: ${reason}. On other systems install Chromium (and set ` +
      'CHROMIUM_PATH) and Python 3 with the package requests by hand.',
  )
  process.exit(1)
}
