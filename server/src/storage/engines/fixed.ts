import type { Outcome, Session } from './session.ts'
import { type Syntax, syntaxes } from './syntax.ts'

/** A text with `?` for its parameters, or a function that makes it of words that differ between the databases. */
type Text = string | ((syntax: Syntax) => string)

type On = { session: Session }

/** A statement whose text never changes. It is made once for each database. */
export function fixed<Row>(text: Text): (db: On, parameters: readonly unknown[]) => Promise<Row[]> {
  const run = fixedOutcome(text)
  // The caller names the row that its own statement selects.
  return async (db, parameters) => (await run(db, parameters)).rows as Row[]
}

/** The same, for statements whose number of affected rows matters. */
function fixedOutcome(text: Text): (db: On, parameters: readonly unknown[]) => Promise<Outcome> {
  const texts = { sqlite: textFor(text, syntaxes.sqlite), postgres: textFor(text, syntaxes.postgres) }
  return ({ session }, parameters) => session.run(texts[session.dialect], parameters)
}

function textFor(text: Text, syntax: Syntax): string {
  const made = typeof text === 'string' ? text : text(syntax)
  let count = 0
  return syntax.numbered ? made.replaceAll('?', () => `$${++count}`) : made
}
