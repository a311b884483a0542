import { defineCommand } from './command.ts'

export const serve = defineCommand({
  about: 'Start the service.',
  creates: true,
  options: {},
  async run(_, ground) {
    await ground.serve(ground.config)
    return undefined
  },
})
