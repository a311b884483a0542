/**
 * The option that means that a task is completed, of its field *Status*: Done, or the last one if none has that name
 * (any more).
 */
export function doneOption<Option extends { label: string }>(options: readonly Option[]): Option | undefined {
  return options.find(({ label }) => label.trim().toLowerCase() === 'done') ?? options.at(-1)
}
