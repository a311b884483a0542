import { runCommand } from './commands/run-command.ts'

process.exitCode = await runCommand(process.argv.slice(2), async (config) => {
  const { serve } = await import('./serve.ts')
  await serve(config)
})
