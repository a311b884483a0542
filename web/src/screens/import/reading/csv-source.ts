import { csvReader, delimiterIn } from './csv-rows.ts'
import type { RowSource } from './row-source.ts'
import { encodingOf, piecesOf } from './text-encoding.ts'

/** The rows of a CSV file, read piece by piece. */
export async function csvSource(file: File): Promise<RowSource> {
  if (file.size === 0) throw new Error('The file is empty.')
  const encoding = await encodingOf(file)
  const start = new TextDecoder(encoding).decode(await file.slice(0, 64 * 1024).arrayBuffer())
  const delimiter = delimiterIn(start)
  return {
    sheets: [],
    async *rows(_sheet, onProgress) {
      // Removes the byte order mark.
      const decoder = new TextDecoder(encoding)
      const reader = csvReader(delimiter)
      let done = 0
      for await (const bytes of piecesOf(file)) {
        yield* reader.write(decoder.decode(bytes, { stream: true }))
        done += bytes.length
        onProgress(done / file.size)
      }
      yield* reader.write(decoder.decode())
      yield* reader.end()
    },
  }
}
