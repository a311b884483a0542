import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { joined } from '../backup/continuous/chain.ts'
import { momentsOf, restoreMoment } from '../backup/continuous/restore-moment.ts'
import { ship } from '../backup/continuous/ship.ts'
import { verifyMoments } from '../backup/continuous/verify-moments.ts'
import type { Config } from '../config.ts'
import type { Objects } from '../contents/content-store.ts'
import { FILES_FORMS, parseFilesUrl } from '../contents/files-url.ts'
import { folderObjects } from '../contents/folder.ts'
import { bucketAt } from '../contents/open-store.ts'
import { isPostgres, makeFolder, sqlitePath } from '../storage/engines/database-url.ts'
import { followLog, LogFollowed } from '../storage/engines/sqlite/log.ts'
import { type Answer, BadUsage, type Context, Failure } from './command.ts'

/** A folder, or an address as in `FILES_URL`. Only a bucket needs the configuration. */
export function openPlace(place: string, context: Pick<Context, 'config' | 'tell'>): Objects {
  const parsed = /^[a-z0-9]+:/.test(place) ? parseFilesUrl(place) : ({ kind: 'folder', path: resolve(place) } as const)
  if (!parsed) throw new BadUsage(`${place} is not accepted. A continuous backup is in a folder, or at ${FILES_FORMS}.`)
  if (parsed.kind === 'folder') return folderObjects(parsed.path)
  return bucketAt(parsed, context.config, (error) => context.tell(String(error)))
}

/** Runs until it is ended. */
export async function backUpContinuously(
  place: string,
  { every, keepDays }: { every: string | undefined; keepDays: string | undefined },
  context: Context,
): Promise<Answer> {
  const { config } = context
  const path = sqliteOf(config, 'For PostgreSQL archive its log: docs/operate/backups.md.')
  const seconds = numberOf(every, { name: '--every', usual: 1, most: 3600 })
  const keep_days = numberOf(keepDays, { name: '--keep-days', usual: 7, most: 3650 })
  const objects = openPlace(place, context)
  makeFolder(objects.drafts)
  const log = follow(path)
  const tell = (line: string) => context.tell(`${context.now().toISOString()} ${line}`)
  tell(`The continuous backup of ${path} begins: every ${seconds} s to ${place}.`)
  try {
    const ending = context.ending()
    await ship({ objects, log, now: context.now, every_ms: seconds * 1000, keep_days, tell, ending })
  } finally {
    log.close()
  }
  return { text: 'The continuous backup has ended. All that was committed is in it.', json: { place } }
}

function follow(path: string) {
  try {
    return followLog(path)
  } catch (error) {
    if (error instanceof LogFollowed) throw new Failure(error.message)
    throw error
  }
}

function sqliteOf({ DATABASE_URL }: Config, instead: string): string {
  if (isPostgres(DATABASE_URL)) throw new Failure(`A continuous backup is one of SQLite. ${instead}`)
  return sqlitePath(DATABASE_URL)
}

function numberOf(
  text: string | undefined,
  { name, usual, most }: { name: string; usual: number; most: number },
): number {
  if (text === undefined) return usual
  const number = Number(text)
  if (/^\d{1,4}$/.test(text) && number >= 1 && number <= most) return number
  throw new BadUsage(`${name} must be a whole number from 1 to ${most}.`)
}

/** Whether a path or an address is that of a continuous backup: other backups are files. */
export function isPlace(place: string): boolean {
  return /^(s3|file):/.test(place) || statSync(place, { throwIfNoEntry: false })?.isDirectory() === true
}

/** Reads everything at a place, and says what can be restored. */
export async function verifyPlace(place: string, context: Context): Promise<Answer> {
  const verified = await verifyMoments(openPlace(place, context))
  if (!verified) throw new Failure(`There is no continuous backup at ${place}.`)
  const { objects, damaged, gaps, spans } = verified
  const problems = damaged.length === 0 ? 'None is damaged.' : `Damaged or missing: ${damaged.join(', ')}.`
  const moments = joined(spans).map(({ from, to }) => ({ from: iso(from), to: iso(to) }))
  return {
    text: [`Read ${objects} objects at ${place}. ${problems}`, ...gaps, momentsOf(spans)].join('\n'),
    json: { place, objects, damaged, gaps, moments },
    failed: damaged.length > 0 || gaps.length > 0 || spans.length === 0,
  }
}

const iso = (at: number) => new Date(at).toISOString()

/** Restores the moment into the file of `DATABASE_URL`. */
export async function restoreFrom(place: string, at: string | undefined, context: Context): Promise<Answer> {
  const path = sqliteOf(context.config, 'Restore it into a file, then move the data with kith backup and kith restore.')
  const moment = at === undefined ? undefined : new Date(at)
  // Without a zone it would be the zone of this machine.
  if (moment && (Number.isNaN(moment.getTime()) || !/^\d{4}-\d\d-\d\dT.*(Z|[+-]\d\d:\d\d)$/.test(at ?? ''))) {
    throw new BadUsage(`--at takes a time such as 2026-01-31T09:30:00Z, not ${at}.`)
  }
  const restored = await restoreMoment(openPlace(place, context), path, { at: moment, now: context.now })
  const { segments, skipped } = restored
  const text = `Restored ${path} as of ${restored.at}: a copy of the database and ${segments} segments.`
  return { text: [text, ...skipped].join('\n'), json: { place, ...restored } }
}
