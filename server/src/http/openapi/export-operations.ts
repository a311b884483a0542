import { exportFormats } from '@kith/contract/export-query'
import type { Resource } from '@kith/contract/resource'
import { fileStream } from './answers.ts'
import type { Described } from './described.ts'
import { manyOf } from './names.ts'
import { ref, type Schema } from './schema.ts'

/** The parameters that only exports take. */
export const exportParameters: Record<string, Schema> = {
  ExportFormat: {
    name: 'format',
    in: 'query',
    description:
      '`ndjson`: a record in the sync form on each line, and an end line. `csv`: a header row and a row for each record.',
    schema: { type: 'string', enum: exportFormats, default: 'ndjson' },
  },
  After: {
    name: 'after',
    in: 'query',
    description: 'Only records after this ID: the one of the last complete line of an export that was cut off.',
    schema: ref('Id'),
  },
}

/** The export of a resource. */
export function exportOperationOf(resource: Resource): Described {
  const many = manyOf(resource)
  return {
    operationId: `export${many}`,
    summary: `Export ${resource.type}`,
    says: `All ${resource.type} that meet the filter, by ID ascending, in one response of any length. The last line is \`{"type": "end", "meta": {"count", "changes_cursor"}}\`. A response without it was cut off: continue with \`after\`, and keep the \`X-Changes-Cursor\` of the first response. A record that existed throughout comes exactly once. In CSV, lists are joined by \`;\` (or are a JSON list if a value contains \`;\`), choices are shown by label, cells that a spreadsheet would execute begin with an apostrophe, and there is no end line. Two exports at once per token and four per workspace are allowed.`,
    tag: { name: many, description: resource.about },
    parameters: [`${many}Filter`, `${many}Fields`, 'ExportFormat', 'After'],
    answers: { 200: fileStream('The records.') },
    refusals: { 503: 'UnavailableOrSlow' },
  }
}
