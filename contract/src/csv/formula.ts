/** A spreadsheet may execute a cell that begins like this. Apostrophes in front are part of the rule, see below. */
const START = /^'*[=+\-@\t\r\n＝＋－＠]/

/** A number, a telephone number, or several of them. It cannot call a function or name a cell. */
const NUMBERS = /^[+-][0-9 .,;()/+-]*$/

function isFormula(text: string): boolean {
  return START.test(text) && !NUMBERS.test(text)
}

/**
 * The text of a CSV cell that no spreadsheet executes: a text that could be a formula gets an apostrophe in front. A
 * text that begins with apostrophes followed by a formula gets one more, so that `unescapeFormula` undoes exactly this.
 */
export function escapeFormula(text: string): string {
  return isFormula(text) ? `'${text}` : text
}

/** The text that `escapeFormula` was given. */
export function unescapeFormula(text: string): string {
  return text.startsWith("'") && isFormula(text.slice(1)) ? text.slice(1) : text
}
