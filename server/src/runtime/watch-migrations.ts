import { refusalIn } from '../calls/answer.ts'
import type { Engine } from '../storage/engines/engine.ts'
import { isMigrated } from '../storage/migrations/migrate.ts'

const LOOK_MS = 1000

/** Looks every second whether a newer version has migrated the database, and calls `onOutdated` once when it has. */
export function watchMigrations(engine: Engine, onOutdated: () => void): { stop(): void } {
  let timer: NodeJS.Timeout | undefined
  let stopped = false

  async function look(): Promise<void> {
    const outdated = await isOutdated(engine)
    if (stopped) return
    if (outdated) onOutdated()
    else lookLater()
  }

  function lookLater(): void {
    timer = setTimeout(() => void look(), LOOK_MS).unref()
  }

  lookLater()
  return {
    stop() {
      stopped = true
      clearTimeout(timer)
    },
  }
}

/** Whether an error may come from a newer version that has changed the tables. */
export async function isOfMigration(engine: Engine, error: unknown): Promise<boolean> {
  return refusalIn(error) === undefined && isOutdated(engine)
}

async function isOutdated({ db }: Engine): Promise<boolean> {
  try {
    return !(await isMigrated(db))
  } catch {
    // Health checks and answers tell that the database cannot be read.
    return false
  }
}
