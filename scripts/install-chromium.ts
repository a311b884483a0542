import { spawnSync } from 'node:child_process'

/** Installs Debian's Chromium for the browser tests in web/test. */
const steps = [
  ['apt-get', 'update'],
  ['apt-get', 'install', '--yes', '--no-install-recommends', 'chromium'],
]

for (const [command = '', ...args] of steps) {
  const { status, error } = spawnSync(command, args, { stdio: 'inherit' })
  if (status === 0) continue
  const reason = error ? error.message : `${command} ended with ${status}`
  console.error(
    `Chromium could not be installed: ${reason}. On other systems install it by hand and set CHROMIUM_PATH.`,
  )
  process.exit(1)
}
