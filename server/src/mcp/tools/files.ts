import { buffer } from 'node:stream/consumers'
import { resourceIn } from '@kith/contract/resource'
import { listFiles, presentFile, readFile } from '../../records/files/files.ts'
import type { Scope } from '../../scope/scope.ts'
import { documentId, idSchema, pageOf } from '../record-arguments.ts'
import { PART_LENGTH, partOfText } from '../record-text.ts'
import { type Installation, pageArguments, parametersIn, reads, resourceSchema, tool } from '../tool.ts'

/** The resource in the ids of files for fetch. */
export const FILES = 'files'

export const listFilesTool = tool({
  name: 'list_files',
  title: 'List the files of a record',
  description: 'The files of a record, newest first. fetch with files/ID reads a text file.',
  ...reads,
  takes: { resource: resourceSchema, id: idSchema },
  may: pageArguments(),
  async run(scope, { resource, id, ...input }) {
    const asked = parametersIn(input, ['page', 'per_page'])
    const { data, total, page } = await listFiles(scope, resourceIn(scope.schema, resource), { id, asked })
    return { data, total, page }
  },
})

const TEXTUAL = /^text\/|[/+](json|xml|yaml|csv|javascript|sql|x-ndjson|toml)\b/i

/** A file for fetch: its text as far as an answer has room, or what it is if it is no text. */
export async function fetchFile(scope: Scope, id: string, installation: Installation) {
  const row = await readFile(scope, id, [])
  const { attributes } = presentFile(row, scope)
  const { name, content_type, size, resource, record_id, created_at, updated_at } = attributes
  const text = TEXTUAL.test(content_type) ? await textOf(row, installation) : undefined
  const isPart = text !== undefined && Buffer.byteLength(text) < size
  const metadata = { resource, record_id, content_type, size, created_at, updated_at, truncated: isPart }
  return {
    id: documentId(FILES, row.id),
    title: name,
    text: text ?? `This file is not text: ${content_type}, ${size} bytes.`,
    url: pageOf(scope, installation, documentId(resource, record_id)),
    metadata,
  }
}

/** Undefined if the content is missing, or is not UTF-8. */
async function textOf(
  { workspace_id, sha256, size }: { workspace_id: string; sha256: string; size: number },
  { openContent }: Installation,
): Promise<string | undefined> {
  // A character has up to four bytes, and the last one may be cut.
  const end = Math.min(size, 4 * PART_LENGTH) - 1
  const stream = await openContent?.({ workspace_id, sha256 }, { size, range: { start: 0, end } })
  if (!stream) return undefined
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(await buffer(stream), { stream: true })
    return text.includes('\0') ? undefined : partOfText(text, 0)
  } catch {
    return undefined
  }
}
