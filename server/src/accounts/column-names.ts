type Snake<S extends string> = S extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${Snake<Rest>}`
  : S

/** The columns of better-auth's fields in our tables: `userId` is `user_id`. */
export function columnNames<const N extends string>(...fields: N[]): { [name in N]: Snake<name> } {
  const columns = fields.map((field) => [field, field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)])
  // Built from the names themselves.
  return Object.fromEntries(columns) as { [name in N]: Snake<name> }
}
