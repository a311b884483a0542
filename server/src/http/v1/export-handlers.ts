import type { ExportFormat } from '@kith/contract/export-query'
import type { Answer } from '../../calls/answer.ts'
import type { V1Request } from '../../calls/call.ts'
import { type ExportPlace, exportRecords } from '../../export/export-records.ts'
import type { Scope } from '../../scope/scope.ts'
import { askedInQuery, resourceOf } from './requests.ts'

const types: Readonly<Record<ExportFormat, string>> = {
  ndjson: 'application/x-ndjson',
  csv: 'text/csv; charset=utf-8',
}

/** The records of a resource as a file. Each answer is one part of it. */
export const exportHandlers = {
  export: async (scope: Scope, request: V1Request): Promise<Answer> => {
    const resource = resourceOf(request)
    const { continuation } = request
    // Written below, with the part before.
    const place = continuation === undefined ? undefined : (JSON.parse(continuation) as ExportPlace)
    const part = await exportRecords(scope, resource, { asked: askedInQuery(request), place })
    const file = `${resource.type}-${scope.now().toISOString().slice(0, 10)}.${part.format}`
    return {
      status: 200,
      body: part.text,
      headers: {
        'Content-Type': types[part.format],
        'Content-Disposition': `attachment; filename="${file}"`,
        'X-Changes-Cursor': part.place.changes_cursor,
      },
      aside: { continuation: part.more ? JSON.stringify(part.place) : null },
    }
  },
} satisfies Record<string, (scope: Scope, request: V1Request) => Promise<Answer>>
