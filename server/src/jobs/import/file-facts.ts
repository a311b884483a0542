import type { Encoding } from './encoding.ts'

/** What was found out about a file when it was sent. */
export type FileFacts = {
  encoding: Encoding
  delimiter: string
  rows: number
  /** The header of CSV. */
  columns: string[]
}
