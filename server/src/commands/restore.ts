import { restoreBackup } from '../backup/restore-backup.ts'
import { isInUse } from '../storage/engines/postgres/hosts.ts'
import { contentWords } from './backup.ts'
import { BadUsage, defineCommand, Failure } from './command.ts'
import { isPlace, restoreFrom } from './continuous-backup.ts'
import { asOpening, storeOf, withUnmigrated } from './with-database.ts'

export const restore = defineCommand({
  about: 'Restore a backup into an empty SQLite or PostgreSQL database, completely or not at all.',
  creates: true,
  options: {
    file: {
      value: 'FILE',
      about: 'The backup; or the folder or bucket of a continuous one.',
      required: true,
      operand: true,
    },
    key: { value: 'FILE', about: 'The private key of an encrypted backup.' },
    replace: { about: 'Delete everything that the database contains now.' },
    at: {
      value: 'TIME',
      about: 'The moment to restore from a continuous backup, such as 2026-01-31T09:30:00Z; the last one by default.',
    },
  },
  async run({ at, ...values }, context) {
    if (isPlace(values.file)) {
      if (values.replace || values.key !== undefined) {
        throw new BadUsage('A continuous backup is restored into a new file: --replace and --key do not apply.')
      }
      return restoreFrom(values.file, at, context)
    }
    if (at !== undefined) throw new BadUsage(`--at needs a continuous backup, and ${values.file} is none.`)
    if (await asOpening(context.config, async () => isInUse(context.config.DATABASE_URL))) {
      throw new Failure('The database is in use. Stop the service, then restore.')
    }
    return withUnmigrated(context, async (engine) => {
      const runtime = { engine, secret: context.config.SECRET, now: context.now }
      const { file, replace, key } = values
      const restored = await restoreBackup(runtime, file, { replace, key, store: storeOf(context) })
      const { rows, records, made_at } = restored
      const text = `Restored ${rows} rows from the backup of ${made_at}. Records that are not deleted: ${records}.`
      return { text: `${text} ${contentWords(restored)}`, json: { file, ...restored } }
    })
  },
})
