import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { expect } from 'vitest'
import { sql } from '../../src/storage/engines/sql.ts'
import { newFolder } from '../installation.ts'
import { type Ran, runKith } from '../run-kith.ts'
import { storedRecords } from '../stored-rows.ts'
import { runtimeAt } from '../workspace.ts'

export const chainsIn = (place: string) => readdirSync(place).filter((name) => name.length === 26)

/** The paths of the files of a continuous backup with names of a form, in the order of their names. */
export const filesIn = (place: string, form: RegExp) =>
  chainsIn(place).flatMap((chain) =>
    readdirSync(join(place, chain), { recursive: true })
      .map((name) => join(place, chain, String(name)))
      .filter((path) => form.test(path))
      .sort(),
  )

/** Waits until a copy of the whole database is complete in the last chain. */
export async function untilCopied(place: string): Promise<void> {
  const isCopied = () => {
    const last = chainsIn(place).sort().at(-1)
    return last !== undefined && readdirSync(join(place, last)).some((name) => /^copy-.*json$/.test(name))
  }
  while (!isCopied()) await pause(50)
}

/**
 * Waits until something that was committed after the time is in the place, and returns its moment. `keys` are the
 * objects of the place.
 */
export async function untilShipped(after: number, keys: () => string[]): Promise<number> {
  for (;;) {
    const last = Math.max(0, ...keys().map((key) => Number(/-(\d{13})-\w+\.pages/.exec(key)?.[1] ?? 0)))
    if (last > after) return last
    await pause(50)
  }
}

export const restoredTo = async (place: string, ...args: string[]) => {
  const file = join(newFolder(), 'kith.db')
  const env = { DATABASE_URL: `file:${file}`, SECRET: 'x'.repeat(40) }
  const ran = await runKith(['restore', place, '--json', ...args], env)
  return { ...ran, env, file, json: ran.code === 0 ? JSON.parse(ran.stdout) : undefined }
}

type Restored = Pick<Ran, 'code' | 'stderr'> & { env: Readonly<Record<string, string>> }

/** The names of the companies of a workspace in a restored database. */
export async function companiesIn({ code, stderr, env }: Restored, workspaceId: string): Promise<string[]> {
  expect(code, stderr).toBe(0)
  const { engine } = runtimeAt(env.DATABASE_URL ?? '', env.SECRET ?? '')
  const names = sql<string>`select name from ${storedRecords('companies')} where workspace_id = ${workspaceId}
    order by name`
  return names.column(engine.db).finally(() => engine.close())
}
