/** Another process writes to the database for longer than a write waits. Nothing was written, so a retry is safe. */
export class DatabaseBusy extends Error {
  constructor(cause?: unknown) {
    super('Another process is writing to the database. Try again in a moment.', { cause })
  }
}
