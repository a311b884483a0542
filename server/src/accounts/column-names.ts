/** The columns of better-auth's fields in our tables: `userId` is `user_id`. */
export function columnNames<const N extends string>(...fields: N[]): { [name in N]: string } {
  const columns = fields.map((field) => [field, field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)])
  // Built from the names themselves.
  return Object.fromEntries(columns) as { [name in N]: string }
}
