import { writeBackup } from '../backup/write-backup.ts'
import { defineCommand } from './command.ts'
import { withReader } from './with-database.ts'

export const backup = defineCommand({
  about: 'Copy all that the database holds at this moment into a file, while the service runs.',
  options: { file: { value: 'FILE', about: 'Where the backup goes.', required: true, operand: true } },
  run: (values, ground) =>
    withReader(ground, async (engine) => {
      const written = await writeBackup(engine, values.file, ground.now())
      const text = `Wrote ${written.rows} rows of ${Object.keys(written.tables).length} tables to ${values.file} (${written.bytes} bytes).`
      return { text, json: { file: values.file, ...written } }
    }),
})
