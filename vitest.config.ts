import { defineConfig } from 'vitest/config'
import { LongestFirst } from './server/test/setup/longest-first.ts'

/** No test is about these limits. They end a test that hangs, and are wide enough for a slow and busy machine. */
const timeouts = { testTimeout: 300_000, hookTimeout: 300_000, expect: { poll: { timeout: 60_000 } } }

/** Tests of one database alone. Those in `once` do not depend on the database and run with SQLite. */
const elsewhere = {
  sqlite: ['server/test/postgres/**', 'server/test/long/**'],
  postgres: ['server/test/sqlite/**', 'server/test/once/**'],
}

/** These need programs of Debian that the others do not need. */
const inLongRun = process.env.TEST_LONG === '1' ? [] : ['server/test/long/**']

/** The same files on each database. */
function onEngine(name: 'sqlite' | 'postgres') {
  return {
    test: {
      name,
      include: ['server/test/**/*.test.ts'],
      exclude: [...elsewhere[name], ...inLongRun],
      globalSetup: ['server/test/setup/global.ts'],
      setupFiles: ['server/test/setup/file.ts'],
      env: { TEST_ENGINE: name },
      ...timeouts,
    },
  }
}

export default defineConfig({
  test: {
    // Most of a test is waiting for the service, so that more of them than there are cores get on well.
    maxWorkers: 6,
    // A worker runs file after file and loads what they share once. What a file leaves behind goes in server/test/when-file-ends.ts.
    isolate: false,
    teardownTimeout: 60_000,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          name: 'unit',
          ...timeouts,
          include: ['*.test.ts', '{contract,server,sdk,web}/src/**/*.test.ts', 'contract/test/**/*.test.ts'],
        },
      },
      {
        test: {
          name: 'browser',
          include: ['web/test/**/*.test.ts'],
          globalSetup: ['web/test/setup/global.ts'],
          setupFiles: ['server/test/setup/file.ts'],
          ...timeouts,
          testTimeout: 900_000,
        },
      },
      onEngine('sqlite'),
      onEngine('postgres'),
    ],
  },
})
