import { randomBytes } from 'node:crypto'
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { isPostgres, sqlitePath } from '../storage/engines/database-url.ts'
import { BadConfig } from './bad-config.ts'

export const SECRET_MIN = 32

/** The secret of an installation without SECRET: generated once and stored next to the data. */
export function storedSecret(databaseUrl: string): string {
  const folder = isPostgres(databaseUrl) ? resolve('data') : dirname(sqlitePath(databaseUrl))
  const path = join(folder, 'secret')
  const secret = readOrMake(folder, path)
  if (secret.length >= SECRET_MIN) return secret
  throw new BadConfig([`SECRET: none is given, and the one in ${path} is too short. Give one, or remove that file.`])
}

function readOrMake(folder: string, path: string): string {
  try {
    return readIfThere(path) ?? makeSecret(folder, path)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new BadConfig([
      `SECRET: none is given, and none could be stored in ${path} (${reason}). Give one, or make it writable.`,
    ])
  }
}

function makeSecret(folder: string, path: string): string {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  // Write to a draft and link it: if two processes start at once, one wins, and no one reads half a secret.
  const draft = `${path}.${process.pid}-${randomBytes(4).toString('hex')}`
  writeFileSync(draft, `${randomBytes(48).toString('base64url')}\n`, { mode: 0o600, flag: 'wx' })
  try {
    linkSync(draft, path)
  } catch (error) {
    if (!isCode(error, 'EEXIST')) throw error
  } finally {
    rmSync(draft)
  }
  return readFileSync(path, 'utf8').trim()
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch (error) {
    if (isCode(error, 'ENOENT')) return undefined
    throw error
  }
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}
