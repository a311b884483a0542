import type { TroubleKind } from '../scope/storage-trouble.ts'
import type { WantedTest } from '../webhooks/test-webhook.ts'

/** The response of a surface, before it is sent. */
export type Answer = {
  status: number
  body: string | null
  headers?: Readonly<Record<string, string>>
  /** The internal error, for the log only. */
  bug?: string
  /** A query was stopped because it took too long. */
  out_of_time?: true
  /** The kind of storage trouble that caused the error. */
  trouble?: TroubleKind
  /** What the surface still has to do. Never sent. */
  aside?: {
    /** Mail to send, now that what it tells of is stored. */
    mails?: readonly Mail[]
    /** The email address of the account that was made, for whose password a session begins. */
    account?: string
    /** The email address of the account whose password was reset. */
    reset?: string
    /** The email address that an account has from now on. */
    readdressed?: string
    /** A workspace was deleted, with rows that are left to be wiped. */
    closed?: true
    /** Where a reader of the changes feed continues. */
    follow?: Follow
    /** How many items the request costs. Nothing was done yet. */
    items?: number
    /** Where a response continues that is sent in parts; null with the last part. */
    continuation?: string | null
    /** A job was queued, which a worker can begin. */
    queued?: true
    /** A test event that is to be sent. Nothing was done yet. */
    test?: WantedTest
    /** A webhook was changed, which this process may deliver to. */
    webhooks?: true
    /** For how many seconds the response is held while it stays the same. */
    unchanged?: { wait: number }
  }
}

/** A part of the changes feed has been read up to `next_cursor`. */
type Follow = {
  next_cursor: string
  /** The workspace's highest sequence. */
  head: number
  /** Whether there is more to read at once. */
  has_more: boolean
  /** Before or after the hand-off. */
  phase: 'snapshot' | 'live'
  /** For how many seconds an empty response is held: 0 if it is not empty, and before the hand-off. */
  wait: number
}

export type Mail = { to: string; subject: string; text: string }
