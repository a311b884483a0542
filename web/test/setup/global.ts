import { randomBytes } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'
import type { TestProject } from 'vitest/node'
import { testDatabase } from '../../../server/test/engine.ts'
import { startService } from '../../../server/test/setup/service.ts'
import { startChromium } from './chromium.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Where the journeys find the browser that they share. */
    browser: { endpoint: string }
  }
}

const configFile = fileURLToPath(new URL('../../vite.config.ts', import.meta.url))

/** Builds the application as it stands, starts one service on SQLite, and one browser. */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const browser = await startChromium()
  await buildAsDelivered()
  const database = await testDatabase('sqlite')
  const secret = randomBytes(32).toString('hex')
  const service = await startService({
    DATABASE_URL: database.url,
    SECRET: secret,
    RATE_LIMIT_READS: '0',
    RATE_LIMIT_WRITES: '0',
    // All journeys sign in from one address.
    SIGN_IN_LIMIT_ADDRESS: '0',
  })
  project.provide('service', { url: service.url, database_url: database.url, secret })
  project.provide('browser', { endpoint: browser.wsEndpoint() })
  return async () => {
    await browser.close()
    await service.stop()
    await database.drop()
  }
}

/**
 * Under the runner's own NODE_ENV, `test`, React would be built as for its developers: larger and many times slower.
 */
async function buildAsDelivered(): Promise<void> {
  const { NODE_ENV } = process.env
  process.env.NODE_ENV = 'production'
  await build({ configFile, logLevel: 'error' })
  process.env.NODE_ENV = NODE_ENV
}
