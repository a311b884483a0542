import type { Report } from './issue.ts'
import { CONTENT_TYPE_MAX, NAME_MAX } from './limits.ts'
import { resourceCode } from './resource-code.ts'
import * as is from './shape.ts'

/** What a file is stored as if its sender does not say. */
const PLAIN_BYTES = 'application/octet-stream'

const NOT_IN_NAMES = /[\p{Cc}/\\]/u

const plainName = is.line({ maxLength: NAME_MAX, says: 'Without control characters, `/` and `\\`.' })

export const fileName: is.Shape<string> = {
  ...plainName,
  parse: (raw, path, report) => {
    const name = plainName.parse(raw, path, report)
    if (name === undefined || !NOT_IN_NAMES.test(name)) return name
    report(path, `The ${path} must not contain control characters, / or \\.`)
    return undefined
  },
}

export const file = {
  name: fileName,
  content_type: is.text({ says: 'The media type that its sender named.' }),
  size: is.whole({ from: 1, says: 'In bytes.' }),
  sha256: is.text({ says: 'The hash of its content, in hexadecimal digits.' }),
  resource: resourceCode(),
  record_id: is.id('The record that it belongs to.'),
  created_at: is.time(),
  updated_at: is.time(),
  creator_id: is.orNull(is.id(), 'Who uploaded it.'),
} as const

type File = is.Shown<typeof file>

export type FileObject = { id: string; type: 'files'; attributes: File }

export const fileChanges = { name: fileName } as const

const TOKEN = "[\\w!#$%&'*+.^`|~-]+"
const MEDIA_TYPE = new RegExp(`^${TOKEN}/${TOKEN}([ \\t]*;[ \\t]*${TOKEN}=(${TOKEN}|"[\\x20-\\x7e]*"))*$`)

/** The media type in a Content-Type header. */
export function parseContentType(header: string | undefined, report: Report): string {
  const sent = header?.trim() ?? ''
  if (sent === '') return PLAIN_BYTES
  if (sent.length > CONTENT_TYPE_MAX || !MEDIA_TYPE.test(sent)) {
    report(
      'content_type',
      `The Content-Type must be a media type such as application/pdf, of at most ${CONTENT_TYPE_MAX} characters.`,
    )
  }
  return sent
}

export const fileComponents = {
  ...is.noun('File', 'files', { shown: file, also: ['Document', 'List'] }),
  FileUpdate: is.sentSchema(fileChanges, { required: [] }),
}
