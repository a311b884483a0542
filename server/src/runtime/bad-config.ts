/** Problems in the configuration. Each line names the variable, the problem and what is accepted. */
export class BadConfig extends Error {
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(problems.join('\n'))
    this.problems = problems
  }
}
