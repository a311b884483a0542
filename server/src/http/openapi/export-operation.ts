import { exportFormats } from '@kith/contract/export-query'
import type { Resource } from '@kith/contract/resource'
import { answerOf, type Described, SLOW, textBody } from './answers.ts'
import { manyOf } from './names.ts'
import { inQuery } from './parameter.ts'
import { enumOf, ref, type Schema } from './schema.ts'

const lines = [
  '{"id":"01kb8w4d5e6f7g8h9j0k1m2n3p","type":"companies","attributes":{"name":"Acme","external_ids":{}}}',
  '{"type":"end","meta":{"count":1,"changes_cursor":"WyIiLDQyXQ"}}',
]
const rows = ['id,name', '01kb8w4d5e6f7g8h9j0k1m2n3p,Acme']
const files = {
  'application/x-ndjson': textBody(`${lines.join('\n')}\n`),
  'text/csv; charset=utf-8': textBody(`${rows.join('\r\n')}\r\n`),
}

/** The export of a resource. */
export function exportOperation(resource: Resource): Described {
  const many = manyOf(resource)
  return {
    operationId: `export${many}`,
    summary: `Export ${resource.type}`,
    says: `All ${resource.type} that meet the filter, by ID ascending, in one response of any length. The last line is \`{"type": "end", "meta": {"count", "changes_cursor"}}\`. A response without it was cut off: continue with \`after\`, and keep the \`X-Changes-Cursor\` of the first response. A record that existed throughout comes exactly once. In CSV, lists are joined by \`;\` (or are a JSON list if a value contains \`;\`), choices are shown by label, cells that a spreadsheet would execute begin with an apostrophe, and there is no end line. Two exports at once per token and four per workspace are allowed.`,
    parameters: [`${many}Filter`, `${many}Fields`, 'ExportFormat', 'After'],
    answers: { 200: answerOf('The records.', files, ['X-Changes-Cursor']) },
    refusals: SLOW,
  }
}

/** The parameters that only exports take. */
export const exportParameters: Record<string, Schema> = {
  ExportFormat: inQuery(
    'format',
    '`ndjson`: a record in the sync form on each line, and an end line. `csv`: a header row and a row for each record.',
    { schema: { ...enumOf(exportFormats), default: 'ndjson' } },
  ),
  After: inQuery(
    'after',
    'Only records after this ID: the one of the last complete line of an export that was cut off.',
    { schema: ref('Id') },
  ),
}
