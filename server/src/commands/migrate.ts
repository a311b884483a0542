import { migrate as migrateDatabase } from '../storage/migrations/migrate.ts'
import { defineCommand } from './command.ts'
import { withUnmigrated } from './with-database.ts'

export const migrate = defineCommand({
  about: 'Migrate the database to this version and list the migrations that ran.',
  creates: true,
  options: {},
  run: (_, context) =>
    withUnmigrated(context, async (engine) => {
      const applied = await migrateDatabase(engine, context.now())
      return {
        text: applied.length === 0 ? 'The database is at this version already.' : applied.join('\n'),
        json: { applied },
      }
    }),
})
