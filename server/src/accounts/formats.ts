import { autoFormats, type FormatName, type Formats, formatChoices } from '@kith/contract/app/formats'
import { type Fields, readInput } from '../scope/read-input.ts'
import type { Runtime } from '../scope/scope.ts'
import type { Db } from '../storage/engines/engine.ts'
import { findUserFormats, replaceUserFormats } from '../storage/tables/accounts.ts'

/** How a user reads numbers and dates. */
export async function readFormats(db: Db, userId: string): Promise<Formats> {
  const stored = await findUserFormats(db, userId)
  return stored === null ? autoFormats : { ...autoFormats, ...JSON.parse(stored) }
}

/** Replaces all formats of a user. */
export async function updateFormats(runtime: Runtime, userId: string, input: unknown): Promise<Formats> {
  const formats = readInput(
    input,
    (fields): Formats => ({
      numbers: read(fields, 'numbers', formatChoices.numbers),
      dates: read(fields, 'dates', formatChoices.dates),
      hours: read(fields, 'hours', formatChoices.hours),
      first_day: read(fields, 'first_day', formatChoices.first_day),
    }),
  )
  await runtime.engine.transaction((inside) => replaceUserFormats(inside, userId, JSON.stringify(formats)))
  return formats
}

type Choices<Choice> = readonly ['auto', ...Choice[]]

function read<Choice extends string>({ raw, report }: Fields, name: FormatName, choices: Choices<Choice>) {
  const sent = raw(name)
  const chosen = choices.find((choice) => choice === sent)
  if (chosen === undefined) report(name, `The ${name} must be one of ${choices.join(' | ')}.`)
  return chosen ?? 'auto'
}
