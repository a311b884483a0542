import { createWriteStream, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type Resource, withArchived } from '@kith/contract/resource'
import { listMembers } from '../accounts/members.ts'
import { accessOf } from '../accounts/subscription.ts'
import { enterAsOperator, removeWorkspace } from '../accounts/workspace.ts'
import { changeState, createWorkspace, pauseWorkspace } from '../accounts/workspaces.ts'
import { type ExportPlace, exportRecords } from '../changes/export-records.ts'
import { listFields } from '../schema/managed.ts'
import { schemaObject } from '../schema/read-schema.ts'
import type { Scope } from '../scope/scope.ts'
import { makeFolder } from '../storage/engines/database-url.ts'
import { loadFeedHead } from '../storage/tables/changes.ts'
import { loadWorkspaces, type WorkspaceRow } from '../storage/tables/workspaces.ts'
import { auditParts } from './audit.ts'
import { BadUsage, type Context, defineCommand, Failure, type Group, workspaceOption } from './command.ts'
import { printTable } from './table.ts'
import { withDatabase } from './with-database.ts'

const which = { workspace: workspaceOption }

const create = defineCommand({
  about: 'Create a workspace with the default fields.',
  options: {
    name: { value: 'N', about: 'The name that members see.', required: true },
    owner: { value: 'E', about: 'The email address of the user who owns it.', required: true },
    slug: { value: 'S', about: 'Its short name in URLs; derived from the name by default.' },
    unverified: { about: 'Accept an owner whose address is not verified.' },
  },
  async run(values, context) {
    const made = await withDatabase(context, (runtime) => createWorkspace(runtime, values))
    return { text: `Created the workspace ${made.slug} (${made.id}).`, json: shown(made, context) }
  },
})

const list = defineCommand({
  about: 'List all workspaces.',
  options: {},
  async run(_, context) {
    const found = await withDatabase(context, ({ engine }) => loadWorkspaces(engine.db))
    const all = found.map((workspace) => shown(workspace, context))
    const rows = all.map(({ slug, name, id, access, created_at }) => [slug, name, id, access, created_at])
    return { text: printTable(['slug', 'name', 'id', 'access', 'created'], rows), json: all }
  },
})

const pause = defineCommand({
  about: 'Pause a workspace of a hosted installation until it is resumed.',
  options: which,
  async run(values, context) {
    const paused = await withDatabase(context, (runtime) => pauseWorkspace(runtime, values.workspace))
    if (!context.config.HOSTED) context.tell('HOSTED is not set: pausing only has an effect in a hosted installation.')
    return { text: `The workspace ${paused.slug} is paused.`, json: shown(paused, context) }
  },
})

const resume = defineCommand({
  about: 'Resume a paused workspace.',
  options: which,
  async run(values, context) {
    const resumed = await withDatabase(context, (runtime) =>
      changeState(runtime, values.workspace, () => ({ paused_at: null })),
    )
    const { access } = shown(resumed, context)
    if (access === 'paused') context.tell('It stays paused until it has a subscription: its trial has ended.')
    return { text: `The workspace ${resumed.slug} is resumed.`, json: shown(resumed, context) }
  },
})

const complimentary = defineCommand({
  about: 'Allow a workspace of a hosted installation to be used without a subscription.',
  options: { ...which, off: { about: 'Undo this.' } },
  async run(values, context) {
    const changed = await withDatabase(context, (runtime) =>
      changeState(runtime, values.workspace, () => ({ complimentary: values.off ? 0 : 1 })),
    )
    const state = changed.complimentary === 0 ? 'no longer complimentary' : 'complimentary'
    return { text: `The workspace ${changed.slug} is ${state}.`, json: shown(changed, context) }
  },
})

const secondFactor = defineCommand({
  about: 'Require a second factor of all members of a workspace, or stop requiring it.',
  options: { ...which, off: { about: 'Stop requiring it: for owners who are locked out.' } },
  async run(values, context) {
    const changed = await withDatabase(context, (runtime) =>
      changeState(runtime, values.workspace, () => ({ require_second_factor: values.off ? 0 : 1 })),
    )
    const state = changed.require_second_factor === 0 ? 'does not require' : 'requires'
    return { text: `The workspace ${changed.slug} ${state} a second factor.`, json: shown(changed, context) }
  },
})

const remove = defineCommand({
  about: 'Delete a workspace with everything in it, after an export. Its members and tokens lose access at once.',
  options: {
    ...which,
    export: {
      value: 'FOLDER',
      about: 'Write all records, the audit log, resources, fields and members into this new folder first.',
    },
    'no-export': { about: 'Delete it without an export.' },
  },
  async run({ workspace: slug, export: folder, 'no-export': without }, context) {
    if ((folder === undefined) !== without) throw new BadUsage('Use --export FOLDER or --no-export.')
    return withDatabase(context, async (runtime) => {
      const scope = await enterAsOperator(runtime, slug)
      const records = folder === undefined ? undefined : await exportWorkspace(scope, folder)
      await removeWorkspace(scope, { confirm: slug })
      const written = records === undefined ? '' : ` Wrote its records (${records}) to ${folder}.`
      const text = `Deleted the workspace ${slug}.${written} The service erases its data within a day.`
      return { text, json: { id: scope.workspace.id, slug, folder: folder ?? null, records: records ?? null } }
    })
  },
})

export const workspace: Group = {
  verbs: { create, list, pause, resume, complimentary, 'second-factor': secondFactor, delete: remove },
}

function shown(workspace: WorkspaceRow, context: Context) {
  const { id, slug, name, trial_ends_at, subscription_status, paused_at, created_at } = workspace
  const access = accessOf(workspace, context.now(), context.config.HOSTED)
  const complimentary = workspace.complimentary !== 0
  const requires_second_factor = workspace.require_second_factor !== 0
  const state = { trial_ends_at, subscription_status, complimentary, paused_at, requires_second_factor }
  return { id, slug, name, access, ...state, created_at }
}

/**
 * Writes all data of a workspace to files in an empty folder, one record per line. The folder must be empty, because it
 * could contain the only copy of another workspace. Returns the number of records. Fails if records change meanwhile,
 * because the files would not be consistent.
 */
async function exportWorkspace(scope: Scope, folder: string): Promise<number> {
  makeFolder(folder)
  if (readdirSync(folder).length > 0) throw new Failure(`${folder} is not empty. Name a new folder.`)
  const before = await lastChange(scope)
  let records = 0
  const writeLines = (name: string, parts: AsyncIterable<string>) =>
    pipeline(Readable.from(parts), createWriteStream(join(folder, name), { mode: 0o600, flush: true }))
  const schema = withArchived(scope.schema)
  for (const resource of schema.values()) {
    await writeLines(
      `${resource.type}.ndjson`,
      recordsOf({ ...scope, schema }, resource, (count) => {
        records += count
      }),
    )
  }
  await writeLines('audit.ndjson', auditParts(scope, 'ndjson'))
  const version = scope.workspace.fields_version
  await writeLines('schema.ndjson', linesOf([...schema.values()].map((one) => schemaObject(one, version))))
  await writeLines('fields.ndjson', linesOf(await listFields(scope)))
  await writeLines('members.ndjson', linesOf(await listMembers(scope)))
  if ((await lastChange(scope)) === before) return records
  throw new Failure(
    'Records changed during the export, so nothing was deleted. Stop what writes to the workspace, and export it again ' +
      'to a new folder.',
  )
}

async function lastChange(scope: Scope): Promise<number> {
  await scope.engine.numberChanges(scope.workspace.id)
  return (await loadFeedHead(scope)).sequence
}

async function* recordsOf(scope: Scope, resource: Resource, onEnd: (count: number) => void): AsyncGenerator<string> {
  let place: ExportPlace | undefined
  let more = true
  while (more) {
    const part = await exportRecords(scope, resource, {
      asked: { raw: {}, issues: [], loose: false },
      place,
    })
    yield part.text
    place = part.place
    more = part.more
  }
  onEnd(place?.count ?? 0)
}

async function* linesOf(rows: readonly unknown[]): AsyncGenerator<string> {
  for (const row of rows) yield `${JSON.stringify(row)}\n`
}
