import type { TroubleKind } from '../scope/storage-trouble.ts'

/** What a surface says, before it is put on the wire. */
export type Answer = {
  status: number
  body: string | null
  headers?: Readonly<Record<string, string>>
  /** What went wrong inside, for the log alone. */
  bug?: string
  /** A query was stopped because it took too long. */
  out_of_time?: true
  /** What is wrong with the storage, where that is why the answer is an error. */
  trouble?: TroubleKind
  /** What the surface still has to do, which never goes out. */
  aside?: {
    /** Mail to send, now that what it tells of is stored. */
    mails?: readonly Mail[]
    /** The email address of the account that was made, for whose password a session begins. */
    account?: string
    /** The email address of the account whose password was reset. */
    reset?: string
    /** A workspace was deleted, with rows that are left to be wiped. */
    closed?: true
  }
}

export type Mail = { to: string; subject: string; text: string }
