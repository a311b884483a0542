import { resolve } from 'node:path'
import { verifyBackup } from '../backup/read-backup.ts'
import { backupIn, deleteOldBackups, isBackupFolder, writeBackup } from '../backup/write-backup.ts'
import { makeFolder } from '../storage/engines/database-url.ts'
import { type Answer, BadUsage, type Context, defineCommand } from './command.ts'
import { backUpContinuously, isPlace, verifyPlace } from './continuous-backup.ts'
import { storeOf, withReader } from './with-database.ts'

export const backup = defineCommand({
  about: 'Write a snapshot of the database and the files to a file while the service runs.',
  options: {
    file: {
      value: 'FILE',
      about: 'The file to write; or a folder, in which the file is named by the time.',
      required: true,
      operand: true,
    },
    force: { about: 'Overwrite FILE if it is a backup.' },
    keep: { value: 'N', about: 'Keep the latest N backups of the folder and delete the older ones.' },
    'encrypt-to': { value: 'FILE', about: 'Encrypt it to this public key (X25519, PEM).' },
    key: { value: 'FILE', about: 'With --verify: the private key of an encrypted backup.' },
    'without-files': { about: 'Leave out the contents of files.' },
    verify: { about: 'Write nothing: read the backup FILE and check that it is complete and undamaged.' },
    continuous: {
      about: 'Run until it is ended, and write every change of a SQLite database to the folder or bucket FILE.',
    },
    every: { value: 'SECONDS', about: 'With --continuous: how often; 1 by default.' },
    'keep-days': { value: 'N', about: 'With --continuous: how many days back moments can be restored; 7 by default.' },
  },
  async run({ every, 'keep-days': keepDays, continuous, ...values }, context) {
    const { file, keep, key, verify, force, 'encrypt-to': recipient, 'without-files': without } = values
    if (continuous) {
      const others = [keep, key, recipient].some((value) => value !== undefined) || verify || force || without
      if (others) throw new BadUsage('--continuous takes --every and --keep-days only.')
      return backUpContinuously(file, { every, keepDays }, context)
    }
    if (every !== undefined || keepDays !== undefined) throw new BadUsage('--every and --keep-days need --continuous.')
    if (verify) return isPlace(file) ? verifyPlace(file, context) : verified(file, key)
    if (key !== undefined) throw new BadUsage('--key needs --verify. To encrypt a backup, use --encrypt-to.')
    const isFolder = isBackupFolder(file)
    if (keep !== undefined && !/^[1-9]\d{0,4}$/.test(keep)) throw new BadUsage('--keep must be a number from 1.')
    if (keep !== undefined && !isFolder) throw new BadUsage('--keep needs a folder: write a slash at its end.')
    const path = isFolder ? backupIn(file, context.now(), recipient !== undefined) : file
    if (isFolder) makeFolder(resolve(file))
    const { text, json } = await written(path, { recipient, force, without }, context)
    const deleted = keep === undefined ? [] : deleteOldBackups(file, Number(keep))
    const older = deleted.length === 0 ? '' : ` Older backups deleted: ${deleted.length}.`
    return { text: `${text}${older}`, json: { ...json, deleted } }
  },
})

async function verified(file: string, key: string | undefined): Promise<Answer> {
  const verified = await verifyBackup(file, key)
  const { made_at, tables, rows } = verified
  const text = `${file} is complete: ${rows} rows of ${Object.keys(tables).length} tables, as of ${made_at}.`
  return { text: `${text} ${contentWords(verified)}`, json: { file, ...verified } }
}

/** What a backup has of the contents of files. */
export function contentWords(made: { without_files: boolean; contents: number; missing: number }): string {
  if (made.without_files) return 'It does not contain the files: it was made with --without-files.'
  const lost = made.missing === 0 ? '' : ` ${made.missing} were missing or damaged: kith doctor says more.`
  return `Contents of files: ${made.contents}.${lost}`
}

type BackupOptions = { recipient: string | undefined; force: boolean; without: boolean }

function written(file: string, { without, ...options }: BackupOptions, context: Context) {
  return withReader(context, async (engine) => {
    const store = without ? undefined : storeOf(context)
    const made = await writeBackup(engine, file, { now: context.now(), ...options, store })
    const tables = Object.keys(made.tables).length
    const text = `Wrote ${made.rows} rows of ${tables} tables to ${file} (${made.bytes} bytes).`
    const found = { ...made, without_files: without }
    return { text: `${text} ${contentWords(found)}`, json: { file, ...found } }
  })
}
