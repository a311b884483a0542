import { restoreBackup } from '../backup/restore-backup.ts'
import { isInUse } from '../storage/engines/postgres/hosts.ts'
import { contentWords } from './backup.ts'
import { defineCommand, Failure } from './command.ts'
import { asOpening, storeOf, withUnmigrated } from './with-database.ts'

export const restore = defineCommand({
  about: 'Restore a backup into an empty SQLite or PostgreSQL database, completely or not at all.',
  creates: true,
  options: {
    file: { value: 'FILE', about: 'The backup.', required: true, operand: true },
    key: { value: 'FILE', about: 'The private key of an encrypted backup.' },
    replace: { about: 'Delete everything that the database contains now.' },
  },
  async run(values, context) {
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
