import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { enterAsOperator } from '../accounts/enter-workspace.ts'
import { type ExportFormat, exportAudit, exportFormats } from '../audit/export.ts'
import type { Scope } from '../scope/scope.ts'
import { defineCommand, type Group } from './command.ts'
import { BadUsage } from './failure.ts'
import { withDatabase } from './with-database.ts'

const exportCommand = defineCommand({
  about: 'Write the audit log of a workspace into a file.',
  options: {
    workspace: { value: 'S', about: 'The slug of the workspace.', required: true },
    format: { value: 'F', about: `One of ${exportFormats.join(', ')}; csv unless given.` },
    file: { value: 'FILE', about: 'The file to write.', required: true, operand: true },
  },
  async run(values, ground) {
    const format = exportFormats.find((one) => one === (values.format ?? 'csv'))
    if (format === undefined) throw new BadUsage(`--format must be one of ${exportFormats.join(', ')}.`)
    const { file, workspace } = values
    await withDatabase(ground, async (runtime) => {
      const scope = await enterAsOperator(runtime, workspace)
      await pipeline(Readable.from(partsOf(scope, format)), createWriteStream(file, { mode: 0o600 }))
    })
    return { text: `Wrote the audit log of ${workspace} to ${file}.`, json: { file, workspace, format } }
  },
})

export const audit: Group = { verbs: { export: exportCommand } }

/** Part by part, so that a long log takes no more memory than a short one. */
async function* partsOf(scope: Scope, format: ExportFormat): AsyncGenerator<string> {
  let cursor: string | null | undefined
  while (cursor !== null) {
    const part = await exportAudit(scope, { format, cursor })
    yield part.text
    cursor = part.next_cursor
  }
}
