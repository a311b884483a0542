import { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { inflateRaw } from 'node:zlib'
import type { Scope } from '../../scope/scope.ts'
import { findPiece } from '../../storage/tables/job-files.ts'
import { csvParser } from './csv.ts'
import type { FileFacts } from './file-facts.ts'
import { isEndLine, linesOf } from './ndjson.ts'

const unpacked = promisify(inflateRaw)

/** The rows of a stored file as texts: the cells of CSV, with the header first, or a line of NDJSON. */
export function readRows(
  scope: Scope,
  fileId: string,
  { format, facts }: { format: 'csv' | 'ndjson'; facts: FileFacts },
): AsyncIterable<string[]> {
  const texts = textsOf(piecesOf(scope, fileId), facts)
  return format === 'csv' ? cellsOf(texts, facts) : recordLines(texts)
}

async function* piecesOf(scope: Scope, fileId: string): AsyncGenerator<Buffer> {
  for (let piece = 0; ; piece++) {
    const content = await findPiece(scope, fileId, piece)
    if (content === undefined) return
    yield await unpacked(Buffer.from(content, 'base64'))
  }
}

/** Without the byte order mark. */
async function* textsOf(pieces: AsyncIterable<Buffer>, { encoding }: FileFacts): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding)
  for await (const piece of pieces) yield decoder.decode(piece, { stream: true })
  yield decoder.decode()
}

function cellsOf(texts: AsyncIterable<string>, { delimiter }: FileFacts): AsyncIterable<string[]> {
  // The parser returns lists of texts, since it is told nothing about columns.
  return Readable.from(texts).compose(csvParser(delimiter)) as AsyncIterable<string[]>
}

async function* recordLines(texts: AsyncIterable<string>): AsyncGenerator<string[]> {
  for await (const line of linesOf(texts)) if (!isEndLine(line)) yield [line]
}
