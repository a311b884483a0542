#!/usr/bin/env node
import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** From here on Node has the SQLite that the service needs, and Temporal, which knows time zones. */
const NODE_MAJOR_MIN = 26

if (Number(process.versions.node.split('.')[0]) >= NODE_MAJOR_MIN) await import('./start.js')
else runOnPinnedNode()

/** The machine's Node is older: the one that npm installed with this project takes over, arguments, signals, exit code and all. */
function runOnPinnedNode() {
  const main = fileURLToPath(new URL('./start.js', import.meta.url))
  const child = spawn(
    pinnedNode(),
    ['--max-semi-space-size=8', '--heap-growing-percent=45', main, ...process.argv.slice(2)],
    { stdio: 'inherit' },
  )
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  // A terminal sends Ctrl-C to both of us; passing it on would make it two.
  process.on('SIGINT', () => process.stdin.isTTY || child.kill('SIGINT'))
  child.on('error', (error) => {
    console.error(`The Node that belongs to this project could not be started (${error.message}). Run npm install.`)
    process.exitCode = 1
  })
  child.on('exit', (code, signal) => {
    if (signal === null) process.exitCode = code ?? 1
    else {
      process.removeAllListeners(signal)
      process.kill(process.pid, signal)
    }
  })
}

function pinnedNode() {
  try {
    const manifest = createRequire(import.meta.url).resolve('node/package.json')
    return join(dirname(manifest), 'bin', process.platform === 'win32' ? 'node.exe' : 'node')
  } catch {
    console.error(`Kith needs Node ${NODE_MAJOR_MIN} or newer. Run npm install, which brings its own.`)
    process.exit(1)
  }
}
