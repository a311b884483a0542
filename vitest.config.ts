import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { LongestFirst } from './server/test/setup/longest-first.ts'

/** No test is about these limits. They end a test that hangs, and are wide enough for a slow and busy machine. */
const timeouts = { testTimeout: 300_000, hookTimeout: 300_000, expect: { poll: { timeout: 60_000 } } }

/**
 * Costly tests that hardly depend on the database. `npm test` runs them on SQLite, `npm run test:long` on both.
 */
const sampled = [
  'server/test/both/accounts/{identity,users}.test.ts',
  'server/test/both/{app,mcp,security,sync}/**',
  'server/test/both/backup/{files,folder,own-resources,refusals}.test.ts',
  'server/test/both/changes/{diff,entries,parameters,related-filter,size,thin,ways}.test.ts',
  'server/test/both/comments/{expiry,feed,undo}.test.ts',
  'server/test/both/contract/{authentication,creation-source,custom-fields-endpoint,default-fields,envelope}.test.ts',
  'server/test/both/contract/{batch-keys,changes-stream,error-isolation,export-csv,export-stream,history}.test.ts',
  'server/test/both/contract/{idempotency-key,idempotency-replay,include-edges,items,large-lists,list-edits}.test.ts',
  'server/test/both/contract/{list-tags,operations,own-resources,query,rate-limits,record-size,record-tags}.test.ts',
  'server/test/both/contract/{repeated-names,sample,sample-coherence,schema-fields,schema-options,schema-read}.test.ts',
  'server/test/both/contract/{pages-stay-true,schema-version,starting,timestamps,token,undo-keys,undo-many,user,users}.test.ts',
  'server/test/both/contract/{values-reading,workspace-openapi}.test.ts',
  'server/test/both/custom-fields/{default-fields,define,definitions}.test.ts',
  'server/test/both/files/{contents,expiry,feed,files}.test.ts',
  'server/test/both/jobs/{bad-files,dry-run,file,round-trip}.test.ts',
  'server/test/both/notifications/{assigned,events,follows,mail-at-once,talk,unsubscribe}.test.ts',
  'server/test/both/operations/{answer-size,record-history}.test.ts',
  'server/test/both/plans/{comment-plans,explain,undo-plans}.test.ts',
  'server/test/both/references/surfaces.test.ts',
  'server/test/both/webhooks/{access,choice,deliver,dispatcher,responses,test-and-replay}.test.ts',
  'server/test/derived/{absent-null,isolation,nothing-unknown}.test.ts',
  'server/test/faults/{kill,kill-files,kill-import,neighbours,time-limit,upload-memory}.test.ts',
  'server/test/fuzz/**',
]
const longOnPostgres = process.env.TEST_LONG === '1' ? [] : sampled

/** Tests of one database alone. Those in `once` do not depend on the database and run with SQLite. */
const elsewhere = {
  sqlite: ['server/test/postgres/**'],
  postgres: ['server/test/sqlite/**', 'server/test/once/**', ...longOnPostgres],
}

/** `npm run test:long` alone runs these files. */
const longOnly = process.env.TEST_LONG === '1' ? [] : ['**/*.long.test.ts']

/** The same files on each database. */
function onEngine(name: 'sqlite' | 'postgres') {
  return {
    test: {
      name,
      include: ['server/test/**/*.test.ts'],
      exclude: [...elsewhere[name], ...longOnly],
      globalSetup: ['server/test/setup/global.ts'],
      setupFiles: ['server/test/setup/file.ts'],
      env: { TEST_ENGINE: name },
      ...timeouts,
    },
  }
}

/** The contract once more, on a PostgreSQL whose large tables have partitions. */
const partitioned = {
  test: {
    name: 'partitioned',
    include: ['server/test/both/**/*.test.ts', 'server/test/derived/**/*.test.ts'],
    // Tests of plans and of their work: the indexes of partitions have other names, and small ones other plans.
    exclude: ['server/test/both/plans/**', 'server/test/both/security/timing.test.ts', ...longOnly],
    globalSetup: ['server/test/setup/global.ts'],
    setupFiles: ['server/test/setup/file.ts'],
    env: { TEST_ENGINE: 'postgres', TEST_PARTITIONS: '16' },
    ...timeouts,
  },
}

/** The icons as modules. Node would take those for CommonJS, which scripts/trim-packages.ts deletes. */
const icons = join(import.meta.dirname, 'node_modules/lucide-react/dist/esm/lucide-react.mjs')
const resolve = { alias: [{ find: /^lucide-react$/, replacement: icons }] }

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
        resolve,
        test: {
          name: 'unit',
          ...timeouts,
          exclude: ['**/node_modules/**', ...longOnly],
          include: ['*.test.ts', '{contract,server,sdk,web}/src/**/*.test.ts', 'contract/test/**/*.test.ts'],
        },
      },
      {
        resolve,
        test: {
          name: 'browser',
          include: ['web/test/**/*.test.ts'],
          exclude: longOnly,
          globalSetup: ['web/test/setup/global.ts'],
          setupFiles: ['server/test/setup/file.ts'],
          ...timeouts,
          testTimeout: 900_000,
        },
      },
      onEngine('sqlite'),
      onEngine('postgres'),
      partitioned,
    ],
  },
})
