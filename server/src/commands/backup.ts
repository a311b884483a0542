import { writeBackup } from '../backup/write-backup.ts'
import { defineCommand } from './command.ts'
import { withReader } from './with-database.ts'

export const backup = defineCommand({
  about: 'Write a snapshot of the database to a file while the service runs.',
  options: { file: { value: 'FILE', about: 'The file to write.', required: true, operand: true } },
  run: (values, context) =>
    withReader(context, async (engine) => {
      const written = await writeBackup(engine, values.file, context.now())
      const tables = Object.keys(written.tables).length
      const text = `Wrote ${written.rows} rows of ${tables} tables to ${values.file} (${written.bytes} bytes).`
      return { text, json: { file: values.file, ...written } }
    }),
})
