import type { TroubleKind } from '../scope/storage-trouble.ts'
import type { Outcome } from '../storage/engines/session.ts'
import type { FileIdentity } from '../storage/engines/sqlite/file.ts'
import type { Answer } from './answer.ts'
import type { Call } from './call.ts'

export type ThreadRole = 'reader' | 'writer'

export type ThreadSettings = {
  /** The module that the thread runs. */
  entry: string
  url: string
  secret: string
  query_seconds: number
  /** The database file that the service opened first. */
  file: FileIdentity | undefined
}

/** `cancelled` holds the number of the task whose reply is no longer needed, in memory that both sides share. */
export type ThreadData = { role: ThreadRole; settings: ThreadSettings; cancelled: Int32Array }

/** Work for a thread: a call, or one statement of a library that writes its own SQL. */
export type Task = { call: Call } | { statement: { sql: string; parameters: readonly unknown[] } }

/** Only the text of an error can be sent between threads, so errors with a meaning have their own form. */
export type Reply =
  | { answer: Answer }
  | { outcome: Outcome }
  | { error: Error }
  | { trouble: { kind: TroubleKind; message: string } }
  | { busy: true }

/** The number of the message that a thread sends when it is ready; tasks are numbered from 1. */
export const READY = 0
