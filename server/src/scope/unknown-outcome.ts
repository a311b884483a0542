/** The connection was lost during a commit, so the outcome is unknown. The caller must not simply retry. */
export class UnknownOutcome extends Error {
  constructor(cause: unknown) {
    super('The outcome of a commit is not known.', { cause })
  }
}
