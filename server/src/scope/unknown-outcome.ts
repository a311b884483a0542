/** The database was lost while a write was being kept: nobody knows whether it took place, and nobody may be told to simply try again. */
export class UnknownOutcome extends Error {
  constructor(cause: unknown) {
    super('The outcome of a commit is not known.', { cause })
  }
}
