import type { Engine } from '../engines/engine.ts'
import { fixed } from '../engines/fixed.ts'

/** Deletes what meets a condition, where there is any: as long as there is none, nothing has to be started that writes. */
export function sweeping(table: string, condition: string) {
  const any = fixed(`select 1 as found from ${table} where ${condition} limit 1`)
  const swept = fixed(`delete from ${table} where ${condition}`)
  return async (engine: Engine, parameters: readonly unknown[]): Promise<void> => {
    if ((await any(engine.db, parameters)).length > 0) await swept(engine.single, parameters)
  }
}
