import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { registry } from '@kith/contract/registry'
import { type ResourceName, resourceNames } from '@kith/contract/resource'
import { listMembers } from '../accounts/members.ts'
import { type ExportPlace, exportRecords } from '../export/export-records.ts'
import { listFields } from '../fields/list.ts'
import type { Scope } from '../scope/scope.ts'
import { makeFolder } from '../storage/engines/make-folder.ts'
import { loadFeedHead } from '../storage/tables/changes.ts'
import { auditParts } from './audit.ts'
import { Failure } from './failure.ts'

/**
 * Writes all that a workspace holds into files of a folder, one record a line. Returns the number of records. Fails if
 * records change meanwhile: the files would not agree with each other.
 */
export async function exportWorkspace(scope: Scope, folder: string): Promise<number> {
  makeFolder(folder)
  const before = await lastChange(scope)
  let records = 0
  const writeLines = (name: string, parts: AsyncIterable<string>) =>
    pipeline(Readable.from(parts), createWriteStream(join(folder, name), { mode: 0o600, flush: true }))
  for (const name of resourceNames) {
    await writeLines(
      `${name}.ndjson`,
      recordsOf(scope, name, (count) => {
        records += count
      }),
    )
  }
  await writeLines('audit.ndjson', auditParts(scope, 'ndjson'))
  await writeLines('fields.ndjson', linesOf(await listFields(scope)))
  await writeLines('members.ndjson', linesOf(await listMembers(scope)))
  if ((await lastChange(scope)) === before) return records
  throw new Failure('Records changed during the export, so nothing was deleted. Stop what writes to it and try again.')
}

async function lastChange(scope: Scope): Promise<number> {
  await scope.engine.numberChanges(scope.workspace.id)
  return (await loadFeedHead(scope)).sequence
}

async function* recordsOf(scope: Scope, name: ResourceName, onEnd: (count: number) => void): AsyncGenerator<string> {
  let place: ExportPlace | undefined
  let more = true
  while (more) {
    const part = await exportRecords(scope, registry[name], { asked: { raw: {}, issues: [], loose: false }, place })
    yield part.text
    place = part.place
    more = part.more
  }
  onEnd(place?.count ?? 0)
}

async function* linesOf(rows: readonly unknown[]): AsyncGenerator<string> {
  for (const row of rows) yield `${JSON.stringify(row)}\n`
}
