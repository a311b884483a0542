import { restoreBackup } from '../backup/restore-backup.ts'
import { isInUse } from '../storage/engines/postgres/in-use.ts'
import { defineCommand } from './command.ts'
import { Failure } from './failure.ts'
import { asOpening, withUnmigrated } from './with-database.ts'

export const restore = defineCommand({
  about: 'Put a backup into an empty database, of whichever kind. All of it, or nothing.',
  creates: true,
  options: {
    file: { value: 'FILE', about: 'The backup.', required: true, operand: true },
    replace: { about: 'Lose all that the database holds now.' },
  },
  async run(values, ground) {
    if (await asOpening(ground.config, async () => isInUse(ground.config.DATABASE_URL))) {
      throw new Failure('The database is in use. Stop the service, then restore.')
    }
    return withUnmigrated(ground, async (engine) => {
      const runtime = { engine, secret: ground.config.SECRET, now: ground.now }
      const restored = await restoreBackup(runtime, values.file, { replace: values.replace })
      const text = `Restored ${restored.rows} rows, ${restored.records} live records among them, as of ${restored.made_at}.`
      return { text, json: { file: values.file, ...restored } }
    })
  },
})
