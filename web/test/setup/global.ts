import { randomBytes } from 'node:crypto'
import type { TestProject } from 'vitest/node'
import { testDatabase } from '../../../server/test/engine.ts'
import { startService } from '../../../server/test/setup/service.ts'
import { buildIfChanged } from './build.ts'
import { startChromium } from './chromium.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The browser that all tests share. */
    browser: { endpoint: string }
  }
}

/** Builds the application if it has changed, and starts one service on SQLite and one browser for all tests. */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const browser = await startChromium()
  await buildIfChanged()
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
  })
  // The address that the service gives in links. Passkeys and sessions belong to one host name.
  const url = service.url.replace('127.0.0.1', 'localhost')
  project.provide('service', { url, database_url: database.url, secret })
  project.provide('browser', { endpoint: browser.wsEndpoint() })
  return async () => {
    await browser.close()
    await service.stop()
    await database.drop()
  }
}
