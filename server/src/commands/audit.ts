import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type ExportFormat, exportFormats } from '@kith/contract/export-query'
import { exportAudit } from '../changes/audit-log.ts'
import type { Scope } from '../scope/scope.ts'
import { defineCommand, type Group, requireOneOf, workspaceOption } from './command.ts'
import { withWorkspace } from './with-database.ts'

const exportCommand = defineCommand({
  about: 'Write the audit log of a workspace into a file.',
  options: {
    workspace: workspaceOption,
    format: { value: 'F', about: `One of ${exportFormats.join(', ')}; the default is csv.` },
    file: { value: 'FILE', about: 'The file to write.', required: true, operand: true },
    force: { about: 'Overwrite FILE if it exists.' },
  },
  async run(values, context) {
    const format = requireOneOf('--format', exportFormats, values.format ?? 'csv')
    const { file, workspace } = values
    await withWorkspace(context, workspace, (scope) =>
      pipeline(
        Readable.from(auditParts(scope, format)),
        createWriteStream(file, { mode: 0o600, flags: values.force ? 'w' : 'wx' }),
      ),
    )
    return { text: `Wrote the audit log of ${workspace} to ${file}.`, json: { file, workspace, format } }
  },
})

export const audit: Group = { verbs: { export: exportCommand } }

/** Yields one part at a time, so that memory does not grow with the log. */
export async function* auditParts(scope: Scope, format: ExportFormat): AsyncGenerator<string> {
  let cursor: string | null | undefined
  while (cursor !== null) {
    const part = await exportAudit(scope, { format, cursor })
    yield part.text
    cursor = part.next_cursor
  }
}
