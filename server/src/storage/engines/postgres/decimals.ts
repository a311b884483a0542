import type { Decimals } from '../engine.ts'
import { sql } from '../sql.ts'

/** The text of a double is its shortest decimal. `div` is exact, but the other division is not. */
export const postgresDecimals: Decimals = {
  sum: (values) => sql`sum(${values}::text::numeric)`,
  number: (sum) => sql`${sum}::double precision`,
  average(sum, { count, decimals }) {
    const power = sql.raw(`1${'0'.repeat(decimals)}`)
    const unit = sql.raw(`0.${'0'.repeat(decimals - 1)}1`)
    const rounded = sql`div(2 * abs(${sum}::numeric) * ${power} + ${count}, (2 * ${count})::numeric)`
    return sql`case when ${count} > 0 then (sign(${sum}::numeric) * ${rounded} * ${unit})::double precision end`
  },
}
