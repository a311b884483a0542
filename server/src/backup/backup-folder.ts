import { readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** The names of backups in a folder: the time at which they were made. They sort by it. */
const NAME = /^kith-\d{8}T\d{6}Z\.kith(\.enc)?$/

/** Whether the path names a folder for many backups, not the file of one. */
export function isBackupFolder(path: string): boolean {
  return path.endsWith('/') || statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}

export function backupIn(folder: string, now: Date, isEncrypted: boolean): string {
  const moment = now.toISOString().replaceAll(/[-:]|\.\d+/g, '')
  return join(folder, `kith-${moment}.kith${isEncrypted ? '.enc' : ''}`)
}

/** Deletes all but the latest backups. Files with other names stay. Returns the names of the deleted ones. */
export function pruneBackups(folder: string, keep: number): string[] {
  const names = readdirSync(folder).filter((name) => NAME.test(name))
  const old = names.sort().slice(0, -keep)
  for (const name of old) rmSync(join(folder, name), { force: true })
  return old
}
