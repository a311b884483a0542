import type { UndoResults } from '@kith/sdk'
import { type Answer, BadUsage, defineCommand, type Group } from './command.ts'
import { remoteOptions, withClient } from './remote.ts'
import { printTable } from './table.ts'

const show = defineCommand({
  about: 'Show a change, with its values in full.',
  options: { id: { value: 'ID', about: 'The ID of the change.', required: true, operand: true }, ...remoteOptions },
  run: (values, context) =>
    withClient(values, context, async (client) => {
      const { data } = await client.changes.read(values.id)
      const { kind, resource, record_id, at, changes, undone_by } = data.attributes
      const line = `${resource} ${record_id} was ${kind} at ${at}${undone_by ? `, and ${undone_by} has undone it` : ''}.`
      const rows = changes.map(({ field, before, after }) => [field, JSON.stringify(before), JSON.stringify(after)])
      const table = rows.length === 0 ? [] : [printTable(['field', 'before', 'after'], rows)]
      return { text: [line, ...table].join('\n'), json: data }
    }),
})

const undo = defineCommand({
  about: 'Undo a change, or all changes of the token in a period.',
  options: {
    id: { value: 'ID', about: 'The ID of the change.', operand: true },
    since: { value: 'T', about: 'Undo what the token has changed since this time, the latest first.' },
    until: { value: 'T', about: 'With --since: up to this time.' },
    'dry-run': { about: 'Only say what could be undone.' },
    force: { about: 'Delete a new record even if it was changed since.' },
    ...remoteOptions,
  },
  run(values, context) {
    const { id, since, until, force } = values
    const dry_run = values['dry-run']
    if ((id === undefined) === (since === undefined)) throw new BadUsage('Name a change by its ID, or use --since.')
    if (force && (since !== undefined || dry_run))
      throw new BadUsage('--force deletes one new record. Name its change.')
    if (until !== undefined && since === undefined) throw new BadUsage('--until goes with --since.')
    return withClient(values, context, async (client) => {
      if (id !== undefined && !dry_run) {
        const undone = await client.changes.undo(id, { force })
        const state = undone.data === null ? 'The record is deleted now.' : 'The record is as it was before.'
        return { text: `Undid ${id}. ${state}`, json: undone }
      }
      const selection = id === undefined ? { own: true as const, since: since ?? '', until } : { ids: [id] }
      return answerOf(await client.changes.undoMany(selection, { dry_run }))
    })
  },
})

/** What failed, with the reasons. */
function answerOf(results: UndoResults): Answer {
  const { total, succeeded, failed, dry_run } = results.meta
  const line = `${succeeded} of ${total} ${total === 1 ? 'change' : 'changes'} ${dry_run ? 'can be' : 'were'} undone.`
  const failures = results.data.flatMap(({ id, message }) => (message === undefined ? [] : [`${id}: ${message}`]))
  return { text: [line, ...failures].join('\n'), json: results, failed: failed > 0 }
}

export const change: Group = { verbs: { show, undo } }
