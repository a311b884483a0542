import { noteEarlierMoment } from '../backup/continuous/restore-moment.ts'
import { migrate as migrateDatabase } from '../storage/migrations/migrate.ts'
import { BadUsage, defineCommand } from './command.ts'
import { withUnmigrated } from './with-database.ts'

export const migrate = defineCommand({
  about: 'Migrate the database to this version and list the migrations that ran.',
  creates: true,
  options: {
    partitions: {
      value: 'N',
      about: 'Store the large tables of a new PostgreSQL database in so many parts, by workspace: 2 to 128.',
    },
    'went-back': {
      about: 'After other tools restored an earlier moment: who follows the changes feed reads everything again.',
    },
  },
  run: ({ partitions, 'went-back': wentBack }, context) =>
    withUnmigrated(context, async (engine) => {
      const applied = await migrateDatabase(engine, context.now(), undefined, partitionsIn(partitions))
      if (wentBack) await noteEarlierMoment(engine, context.now())
      const text = applied.length === 0 ? 'The database is at this version already.' : applied.join('\n')
      return { text: wentBack ? `${text}\nThe feeds begin again.` : text, json: { applied } }
    }),
})

function partitionsIn(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const count = Number(text)
  if (Number.isInteger(count) && count >= 2 && count <= 128) return count
  throw new BadUsage(`--partitions takes a whole number from 2 to 128, not "${text}".`)
}
