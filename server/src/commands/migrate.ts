import { migrate as bringUp } from '../storage/migrations/migrate.ts'
import { defineCommand } from './command.ts'
import { withUnmigrated } from './with-database.ts'

export const migrate = defineCommand({
  about: 'Bring the database to this version and say what was run.',
  creates: true,
  options: {},
  run: (_, ground) =>
    withUnmigrated(ground, async (engine) => {
      const applied = await bringUp(engine, ground.now())
      return {
        text: applied.length === 0 ? 'The database is at this version already.' : applied.join('\n'),
        json: { applied },
      }
    }),
})
