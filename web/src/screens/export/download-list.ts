import { appearances } from '../../resources.ts'
import { csvFile } from './csv-file.ts'
import { type ExportedList, listRows } from './list-rows.ts'

export type FileFormat = 'csv' | 'xlsx'

const types: Readonly<Record<FileFormat, string>> = {
  csv: 'text/csv;charset=utf-8',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
}

/** Writes a list into a file and gives it to the browser. Returns the number of its records. */
export async function downloadList(list: ExportedList & { format: FileFormat }): Promise<number> {
  const { format, resource, columns } = list
  let count = 0
  const onProgress = (done: number) => {
    count = done
    list.onProgress(done)
  }
  let failure: unknown
  const rows = keepingFailure(listRows({ ...list, onProgress }), (error) => {
    failure = error
  })
  const { many } = appearances[resource]
  const stream =
    format === 'csv'
      ? csvFile(
          columns.map(({ property }) => property.label),
          rows,
        )
      : // The library of spreadsheets is loaded with the first of them.
        (await import('./xlsx-file.ts')).xlsxFile(many, columns, rows)
  // The browser keeps the parts outside of the page's memory.
  const response = new Response(stream, { headers: { 'Content-Type': types[format] } })
  const file = await response.blob().catch((error) => Promise.reject(failure ?? error))
  list.signal.throwIfAborted()
  save(file, `${resource}-${new Date().toISOString().slice(0, 10)}.${format}`)
  return count
}

/** A stream that fails says no more than that to its reader. */
async function* keepingFailure<T>(rows: AsyncIterable<T>, keep: (error: unknown) => void): AsyncGenerator<T> {
  try {
    yield* rows
  } catch (error) {
    keep(error)
    throw error
  }
}

function save(file: Blob, name: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(file)
  link.download = name
  link.click()
  // The download has begun by then.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}
