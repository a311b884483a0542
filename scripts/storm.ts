import { spawnSync } from 'node:child_process'

/** The storm and the duels at length: STORM_ROUNDS times, 20 by default. More arguments go to the test runner. */
const { STORM_ROUNDS = '20' } = process.env
const { status } = spawnSync(
  'vitest',
  ['run', '--project', 'sqlite', '--project', 'postgres', 'server/test/storm', ...process.argv.slice(2)],
  { stdio: 'inherit', env: { ...process.env, STORM_ROUNDS } },
)
process.exitCode = status ?? 1
