/**
 * `full`: nothing can be written. `lost`: the database file is missing or another file has its name. `damaged`: the
 * file cannot be read, or its log is gone, which only a restart can repair. `read-only`: the server takes no writes.
 * `migrating`: a newer version changes the tables at this moment. `outdated`: it has changed them.
 */
export type TroubleKind = 'full' | 'lost' | 'damaged' | 'read-only' | 'migrating' | 'outdated'

/** Something is wrong with the storage itself. The message is shown to callers and by /readyz. */
export class StorageTrouble extends Error {
  readonly kind: TroubleKind
  /** Whether a write was committed before it was noticed, so that its outcome is not known. */
  readonly committed: boolean

  constructor(
    kind: TroubleKind,
    message: string,
    { cause, committed = false }: { cause?: unknown; committed?: boolean } = {},
  ) {
    super(message, { cause })
    this.kind = kind
    this.committed = committed
  }
}

export const DISK_FULL =
  'There is no space left on the disk that holds the database. ' +
  'Reads go on; writes are possible again when there is space.'

export const READ_ONLY =
  'The database is read-only at the moment: the server is a standby, or has been set to read-only. ' +
  'Writes are possible again when it accepts them, or when another server has taken over.'

export const MIGRATING = 'The database is being brought to a newer version of Kith. Retry shortly.'

export const OUTDATED =
  'A newer version of Kith has changed the database, so this node does not use it any more. ' +
  'Other nodes may answer. This one does when it runs that version.'

/** Another process writes to the database for longer than a write waits. Nothing was written, so a retry is safe. */
export class DatabaseBusy extends Error {
  constructor(cause?: unknown) {
    super('Another process is writing to the database. Try again in a moment.', { cause })
  }
}

/** The connection was lost during a commit, so the outcome is unknown. The caller must not simply retry. */
export class UnknownOutcome extends Error {
  constructor(cause: unknown) {
    super('The outcome of a commit is not known.', { cause })
  }
}

/** The message of the file system: "permission denied" of "EACCES: permission denied, open '/x'". */
export function fileProblem(error: unknown): string | undefined {
  return error instanceof Error ? /^E[A-Z0-9]+: (.+?), [a-z]+( |$)/.exec(error.message)?.[1] : undefined
}

/** The code of an error of Node or of a driver, such as ENOENT; empty if it has none. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}
