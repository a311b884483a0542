/** The configuration has problems; each is a line that says which variable, what was wrong and what is accepted. */
export class BadConfig extends Error {
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(problems.join('\n'))
    this.problems = problems
  }
}
