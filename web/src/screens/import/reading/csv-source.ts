import { csvReader, delimiterIn } from './csv-rows.ts'
import type { RowSource } from './row-source.ts'

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

/** Finds out how the text of a file is encoded: UTF-8, UTF-16, or Windows-1252, which Excel writes. */
async function encodingOf(file: Blob): Promise<string> {
  const first = new Uint8Array(await file.slice(0, 64).arrayBuffer())
  const wide = utf16In(first)
  if (wide !== undefined) return wide
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  let letters = 0
  let broken = 0
  const count = (text: string) => {
    for (const letter of text) {
      if (letter <= '\x7f') continue
      letters++
      if (letter === '\uFFFD') broken++
    }
  }
  for await (const bytes of piecesOf(file)) {
    if (bytes.includes(0)) throw new Error('The file contains NUL bytes, so it is not text. Choose a CSV or XLSX file.')
    count(decoder.decode(bytes, { stream: true }))
  }
  count(decoder.decode())
  if (broken === 0) return 'utf-8'
  // Windows-1252 has hardly any valid UTF-8 in it.
  if (broken * 2 >= letters) return 'windows-1252'
  throw new Error('The file is UTF-8 with broken characters in it. Save it as UTF-8 and choose it again.')
}

/** By its byte order mark, or by the zeros in every other byte of Latin text. */
function utf16In(first: Uint8Array): string | undefined {
  if (first[0] === 0xff && first[1] === 0xfe) return 'utf-16le'
  if (first[0] === 0xfe && first[1] === 0xff) return 'utf-16be'
  const zeros = [0, 0]
  first.forEach((byte, index) => {
    if (byte === 0) zeros[index % 2] = (zeros[index % 2] ?? 0) + 1
  })
  const [even = 0, odd = 0] = zeros
  if (odd > first.length / 4 && even === 0) return 'utf-16le'
  if (even > first.length / 4 && odd === 0) return 'utf-16be'
  return undefined
}

const PIECE_BYTES = 1024 * 1024

/** A file in pieces: only one of them is in memory at a time. */
async function* piecesOf(file: Blob): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  for (let at = 0; at < file.size; at += PIECE_BYTES) {
    yield new Uint8Array(await file.slice(at, at + PIECE_BYTES).arrayBuffer())
  }
}
