import { enableCompileCache } from 'node:module'

// What is compiled once is not compiled again at the next start, nor in each thread; so this comes before all else.
enableCompileCache()
const { runCommand } = await import('./commands/run-command.ts')

process.exitCode = await runCommand(process.argv.slice(2), async (config) => {
  const { serve } = await import('./runtime/serve.ts')
  await serve(config)
})
