import { closeSync, existsSync, fsyncSync, ftruncateSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { newId } from '@kith/contract/id'
import type { Objects } from '../../contents/content-store.ts'
import { makeFolder } from '../../storage/engines/database-url.ts'
import type { Engine } from '../../storage/engines/engine.ts'
import { isWhole, openSqlite } from '../../storage/engines/sqlite/sqlite.ts'
import { migrate } from '../../storage/migrations/migrate.ts'
import { restartFeeds } from '../../storage/tables/changes.ts'
import { raiseVersion } from '../../storage/tables/records.ts'
import { loadWorkspaces } from '../../storage/tables/workspaces.ts'
import { refuseFile } from '../encryption.ts'
import { joined, readChains, type Segment, type Span, spansOf } from './chain.ts'
import { DamagedObject, readSegment, unpacked } from './packed.ts'

/** `at`: the moment of the last segment. `skipped`: damaged copies that were not needed. */
type RestoredMoment = { at: string; chain: string; segments: number; pages: number; skipped: readonly string[] }

/**
 * Restores the database as of a moment, or as of the last one, into a file that does not exist yet: completely or not
 * at all.
 */
export async function restoreMoment(
  objects: Objects,
  path: string,
  { at, now }: { at: Date | undefined; now(): Date },
): Promise<RestoredMoment> {
  if (existsSync(path)) {
    refuseFile(`${path} exists. Stop the service and move it away with its -wal and -shm, or set DATABASE_URL.`)
  }
  const spans = spansOf(await readChains(objects))
  const last = spans.at(-1) ?? refuseFile('There is no continuous backup at this place.')
  const end = last.ranges.at(-1)?.to ?? last.copy.at
  // The end of what is left is not the last moment.
  if (at === undefined && last.gap !== undefined) refuseFile(`${last.gap} ${lastMoment(end)}`)
  const moment = at?.getTime() ?? end
  const possible = spans.filter(({ ranges }) => ranges.some(({ from, to }) => from <= moment && moment <= to)).reverse()
  if (possible.length === 0) refuseMoment(spans, moment)
  const skipped: string[] = []
  for (const span of possible) {
    const segments = span.segments.filter((one) => one.number <= span.copy.last || one.at <= moment)
    const draft = `${path}.restoring`
    makeFolder(dirname(path))
    try {
      const { pages, began } = await writePages(objects, draft, { span, segments })
      if (!isWhole(draft)) refuseFile('The restored database is damaged: its pages do not fit together.')
      await bringUp(draft, now)
      renameSync(draft, path)
      flushFolder(dirname(path))
      const as_of = Math.min(moment, lastsUntil(span, segments, Math.max(began, span.copy.began)))
      return { at: momentText(as_of), chain: span.chain.id, segments: segments.length, pages, skipped }
    } catch (error) {
      if (!(error instanceof DamagedObject)) throw error
      const damaged = segments.find(({ key }) => key === error.key)
      if (damaged) refuseDamagedSegment(spans, span, damaged)
      // An earlier copy with more segments leads to the same moment.
      skipped.push(error.message)
    } finally {
      for (const end of ['', '-wal', '-shm']) rmSync(draft + end, { force: true })
    }
  }
  return refuseFile(
    `${skipped.join(' ')} No other copy leads to ${new Date(moment).toISOString()}. ${momentsOf(spans)}`,
  )
}

const momentText = (at: number) => new Date(at).toISOString()

const lastMoment = (at: number) => `The last moment before it is ${momentText(at)}: --at ${momentText(at)}.`

/** Until when nothing changed after these segments, as far as the backup knows. */
function lastsUntil({ chain, copy, segments: all }: Span, segments: readonly Segment[], began: number): number {
  const next = all[segments.length]
  if (next) return next.since
  return Math.max(began, chain.seen?.number === (segments.at(-1)?.number ?? copy.first - 1) ? (chain.seen?.at ?? 0) : 0)
}

/** The moments that can be restored. */
export function momentsOf(spans: readonly Span[]): string {
  const shown = joined(spans).map(({ from, to }) => `from ${momentText(from)} to ${momentText(to)}`)
  return shown.length === 0 ? 'No moment can be restored.' : `Moments that can be restored: ${shown.join(', and ')}.`
}

function refuseMoment(spans: readonly Span[], moment: number): never {
  const gaps = [...new Set(spans.flatMap(({ gap }) => gap ?? []))]
  const before = joined(spans).findLast(({ to }) => to < moment)
  const last = before === undefined ? [] : lastMoment(before.to)
  refuseFile([`${momentText(moment)} cannot be restored.`, ...gaps, last, momentsOf(spans)].flat().join(' '))
}

function refuseDamagedSegment(spans: readonly Span[], { copy, segments }: Span, damaged: Segment): never {
  const before = segments.findLast(({ number }) => number < damaged.number)
  const last = before && before.number >= copy.last ? lastMoment(Math.max(copy.at, before.at)) : []
  const later = spans.filter((span) => span.copy.first > damaged.number && span.copy.at > damaged.at)
  const moments = later.length === 0 ? [] : `After it: ${momentsOf(later)}`
  refuseFile([`Segment ${damaged.number} (${damaged.key}) is damaged or missing.`, last, moments].flat().join(' '))
}

type Wanted = { span: Span; segments: readonly Segment[] }

/** Writes the copy and then the pages of all segments over it, in their order. */
async function writePages(objects: Objects, path: string, { span: { copy }, segments }: Wanted) {
  const file = openSync(path, 'w', 0o600)
  try {
    let at = 0
    for (const part of copy.parts) {
      for await (const piece of unpacked(objects, part)) {
        writeSync(file, piece, 0, piece.length, at)
        at += piece.length
      }
    }
    let { pages } = copy
    let began = 0
    for (const segment of segments) {
      const head = await readSegment(objects, segment, ({ number, bytes }) => {
        writeSync(file, bytes, 0, bytes.length, (number - 1) * copy.page_size)
      })
      pages = head.size
      began = head.began
    }
    ftruncateSync(file, pages * copy.page_size)
    fsyncSync(file)
    return { pages, began }
  } finally {
    closeSync(file)
  }
}

/** Brings the restored file to this version. */
async function bringUp(path: string, now: () => Date): Promise<void> {
  const engine = openSqlite(path, { writes: true })
  try {
    await migrate(engine, now())
    await noteEarlierMoment(engine, now())
  } finally {
    await engine.close()
  }
}

/** Those who follow the feed, or keep a version, must notice that the database went back to an earlier moment. */
export function noteEarlierMoment(engine: Engine, now: Date): Promise<void> {
  return engine.transaction(async (inside) => {
    await restartFeeds(inside, { epoch: newId(now.getTime()), at: now })
    for (const workspace of await loadWorkspaces(inside)) await raiseVersion({ engine, db: inside, workspace }, now)
  })
}

function flushFolder(path: string): void {
  const folder = openSync(path, 'r')
  fsyncSync(folder)
  closeSync(folder)
}
