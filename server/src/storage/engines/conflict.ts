/** What a transaction read before it had its locks has changed since. The engine runs the transaction again. */
export class Conflict extends Error {
  constructor() {
    super('What was read before it was locked has changed.')
  }
}
