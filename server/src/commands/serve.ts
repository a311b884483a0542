import { defineCommand } from './command.ts'

export const serve = defineCommand({
  about: 'Start the service.',
  creates: true,
  logs: true,
  options: {},
  async run(_, context) {
    await context.serve(context.config)
    return undefined
  },
})
