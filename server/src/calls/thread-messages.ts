import type { TroubleKind } from '../scope/storage-trouble.ts'
import type { Outcome } from '../storage/engines/session.ts'
import type { FileIdentity } from '../storage/engines/sqlite/file.ts'
import type { Answer } from './answer.ts'
import type { Call } from './call.ts'

/** A thread sends this id by itself once it has loaded its modules. Orders are numbered from 1. */
export const READY = 0

export type ThreadRole = 'reader' | 'writer'
export type ThreadSettings = {
  url: string
  secret: string
  query_seconds: number
  /** The database file that the service opened first. */
  file: FileIdentity | undefined
}

/** Work for a thread: a call, or one statement of a library that writes its own SQL. */
export type Order = { call: Call } | { statement: { sql: string; parameters: readonly unknown[] } }

/** Only the text of an error can be sent between threads, so problems with the storage have their own form. */
export type Reply =
  | { answer: Answer }
  | { outcome: Outcome }
  | { error: Error }
  | { trouble: { kind: TroubleKind; message: string } }
  | { busy: true }
