import { defineConfig } from 'vitest/config'
import { LongestFirst } from './server/test/setup/longest-first.ts'

/** The same files, once on each database. */
function onEngine(name: 'sqlite' | 'postgres') {
  return {
    test: {
      name,
      include: ['server/test/**/*.test.ts'],
      // What only a server of databases can do (replicas, several processes on one database), and what only a file can.
      exclude: [name === 'sqlite' ? 'server/test/postgres/**' : 'server/test/sqlite/**'],
      globalSetup: ['server/test/setup/global.ts'],
      setupFiles: ['server/test/setup/file.ts'],
      env: { TEST_ENGINE: name },
      testTimeout: 30_000,
      hookTimeout: 60_000,
    },
  }
}

export default defineConfig({
  test: {
    // Most of a test is waiting for the service, so that more of them than there are cores get on well.
    maxWorkers: 4,
    // A worker runs file after file and loads what they share once. What a file leaves behind goes in server/test/when-file-ends.ts.
    isolate: false,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          name: 'unit',
          // Random cases take their time on a busy machine.
          testTimeout: 30_000,
          include: [
            'architecture.test.ts',
            'coverage.test.ts',
            '{contract,server,sdk,web}/src/**/*.test.ts',
            'licences.test.ts',
            'regexes.test.ts',
            'security.test.ts',
            'contract/test/**/*.test.ts',
          ],
        },
      },
      {
        test: {
          name: 'browser',
          include: ['web/test/**/*.test.ts'],
          globalSetup: ['web/test/setup/global.ts'],
          setupFiles: ['server/test/setup/file.ts'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          // What a page shows comes when it comes: as patient as waiting for an element.
          expect: { poll: { timeout: 20_000 } },
        },
      },
      onEngine('sqlite'),
      onEngine('postgres'),
    ],
  },
})
