import { defineCommand } from './command.ts'

export const serve = defineCommand({
  about: 'Start the service.',
  options: {},
  async run(_, ground) {
    await ground.serve(ground.config)
    return undefined
  },
})
