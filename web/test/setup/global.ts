import { randomBytes } from 'node:crypto'
import type { TestProject } from 'vitest/node'
import { testDatabase } from '../../../server/test/engine.ts'
import { bundleServer } from '../../../server/test/setup/bundle.ts'
import { startService } from '../../../server/test/setup/service.ts'
import { buildIfChanged } from './build.ts'

/** Builds the application if it has changed, and starts one service on SQLite for all tests. */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  await buildIfChanged()
  await bundleServer()
  const database = await testDatabase('sqlite')
  const secret = randomBytes(32).toString('hex')
  const service = await startService({
    DATABASE_URL: database.url,
    SECRET: secret,
    RATE_LIMIT_READS: '0',
    RATE_LIMIT_WRITES: '0',
    RATE_LIMIT_ITEMS: '0',
    // All tests sign in from one address.
    SIGN_IN_LIMIT_ADDRESS: '0',
    // Where tests receive webhooks.
    WEBHOOK_ALLOW_PRIVATE: '127.0.0.0/8',
    // Where tests describe programs.
    CLIENT_DOCUMENT_ALLOW_PRIVATE: '127.0.0.0/8',
  })
  // The address that the service gives in links. Passkeys and sessions belong to one host name.
  const url = service.url.replace('127.0.0.1', 'localhost')
  project.provide('service', { url, database_url: database.url, secret })
  return async () => {
    await service.stop()
    await database.drop()
  }
}
