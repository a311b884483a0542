import { existsSync } from 'node:fs'
import { enableCompileCache } from 'node:module'

// What is compiled once is not compiled again at the next start, nor in each thread; so this comes before all else.
enableCompileCache()
const { runCommand } = await import('./commands/run-command.ts')
const { OutputClosed } = await import('./commands/command.ts')

const isClosed = (error: Error) => 'code' in error && error.code === 'EPIPE'

// `write` reports what goes wrong.
process.stdout.on('error', () => {})

process.exitCode = await runCommand(process.argv.slice(2), {
  environment() {
    // Sets what the environment does not.
    if (existsSync('.env')) process.loadEnvFile()
    return process.env
  },
  printError: (text) => process.stderr.write(text),
  write: (text) =>
    new Promise((resolve, reject) => {
      process.stdout.write(text, (error) => (error ? reject(isClosed(error) ? new OutputClosed() : error) : resolve()))
    }),
  isInteractive: process.stderr.isTTY === true && process.stdout.isTTY !== true,
  columns: process.stdout.isTTY ? process.stdout.columns : undefined,
  ending() {
    const ending = new AbortController()
    for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => ending.abort())
    return ending.signal
  },
  readInput: async () => new Uint8Array(Buffer.concat(await process.stdin.toArray())),
  async serve(config) {
    const { serve } = await import('./runtime/serve.ts')
    await serve(config)
  },
})
