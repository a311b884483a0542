import type { AggregateOptions, DatabaseSync } from 'node:sqlite'
import { addTo, averageOf, newSum, textOf } from '../decimal-sum.ts'
import type { Decimals } from '../engine.ts'
import { sql } from '../sql.ts'

const SUM = 'decimal_sum'
const NUMBER = 'decimal_number'
const AVERAGE = 'decimal_average'

/** SQLite has no exact decimals. It calls these functions, which take less time than the same in SQL. */
export const sqliteDecimals: Decimals = {
  sum: (values) => sql`${sql.raw(SUM)}(${values})`,
  number: (sum) => sql`${sql.raw(NUMBER)}(${sum})`,
  average: (sum, { count, decimals }) => sql`${sql.raw(AVERAGE)}(${sum}, ${count}, ${sql.lit(decimals)})`,
}

export function addDecimals(connection: DatabaseSync): void {
  // Node passes the accumulator on as it is. Its types know values of SQL only.
  connection.aggregate(SUM, { start: newSum, step: addTo, result: textOf } as unknown as AggregateOptions)
  connection.function(NUMBER, { deterministic: true }, (sum) => (sum === null ? null : Number(sum)))
  connection.function(AVERAGE, { deterministic: true }, (sum, count, decimals) => {
    return sum === null ? null : averageOf(String(sum), { count: Number(count), decimals: Number(decimals) })
  })
}
