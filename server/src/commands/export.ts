import { type ExportFormat, exportFormats } from '@kith/contract/export-query'
import type { ResourceName } from '@kith/contract/resource'
import type { Client } from '@kith/sdk'
import { type Context, defineCommand, requireOneOf, textIn } from './command.ts'
import { remoteOptions, withClient } from './remote.ts'
import { filterIn, newProgress } from './table.ts'

const exportCommand = defineCommand({
  about: 'Write the records of a resource to standard output. An export that is cut off continues by itself.',
  options: {
    resource: { value: 'RESOURCE', about: 'The code of a resource, such as companies.', required: true, operand: true },
    filter: {
      value: 'JSON',
      about: 'Only records that meet this filter, written as in a query; - for standard input.',
    },
    fields: { value: 'NAMES', about: 'Only these attributes, joined by commas.' },
    format: { value: 'F', about: `One of ${exportFormats.join(', ')}; the default is ndjson.` },
    ...remoteOptions,
  },
  async run(values, context) {
    const { resource } = values
    const format = requireOneOf('--format', exportFormats, values.format ?? 'ndjson')
    const filter = values.filter === undefined ? undefined : filterIn(await textIn(values.filter, context))
    const asked = { ...(filter && { filter }), ...(values.fields && { fields: values.fields.split(',') }) }
    await withClient(values, context, (client) => writeExport(client, { resource, format, asked }, context))
    return undefined
  },
})

export { exportCommand as export }

async function writeExport(
  client: Client,
  { resource, format, asked }: { resource: ResourceName; format: ExportFormat; asked: object },
  context: Context,
): Promise<void> {
  const { filter }: { filter?: object } = asked
  const records = client.resource(resource)
  const { meta } = await records.list({ per_page: 1, ...(filter && { filter }) })
  const progress = newProgress(context, { what: resource, total: meta.total })
  const exported = format === 'csv' ? records.exportCsv(asked) : records.export(asked)
  let lines = ''
  for await (const part of exported) {
    lines += typeof part === 'string' ? part : `${JSON.stringify(part)}\n`
    if (lines.length < WRITTEN_AT_ONCE) continue
    await context.write(lines)
    lines = ''
    progress.show(exported.count)
  }
  const { count, changesCursor: changes_cursor } = exported
  if (format === 'ndjson') lines += `${JSON.stringify({ type: 'end', meta: { count, changes_cursor } })}\n`
  await context.write(lines)
  progress.end(count)
}

const WRITTEN_AT_ONCE = 64 * 1024
