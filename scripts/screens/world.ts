import { randomBytes } from 'node:crypto'
import type { Browser } from 'playwright-core'
import { openEngine } from '../../server/src/storage/engines/open-engine.ts'
import { testDatabase } from '../../server/test/engine.ts'
import { freePort } from '../../server/test/setup/postgres.ts'
import { startService } from '../../server/test/setup/service.ts'
import { startChromium } from '../../web/test/setup/chromium.ts'
import { documentSettings } from './consent-scene.ts'
import { type Furniture, furnish, type Session } from './furnish.ts'
import { receiverNames, receiverSettings, startReceivers } from './webhook-scenes.ts'

/** A service with its own database, and a browser. */
export type World = {
  url: string
  browser: Browser
  /** The set-up link that the first start prints. */
  setUpLink: string
  /** Creates the owner and the sample records. Before that there are no accounts. */
  open(): Promise<Opened>
  /** Ends all trials of a hosted service. */
  endTrials(): Promise<void>
  close(): Promise<void>
}

/** The owner's session and the addresses of the records in the pictures. */
export type Opened = Furniture & { session: Session }

const LINK = /\/set-up\?token=[\w-]+/

export async function newWorld(settings: Readonly<Record<string, string>> = {}): Promise<World> {
  const database = await testDatabase('sqlite')
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const limits = { RATE_LIMIT_WORKSPACE: '0', RATE_LIMIT_READS: '0', RATE_LIMIT_WRITES: '0' }
  const SECRET = randomBytes(32).toString('hex')
  const own = { DATABASE_URL: database.url, SECRET, PORT: String(port), APP_URL: url }
  const receivers = await startReceivers()
  const service = await startService({ ...own, ...limits, ...receiverSettings, ...documentSettings, ...settings })
  const browser = await startChromium()
  const printed = await until(() => LINK.exec(service.output())?.[0])
  return {
    url,
    browser,
    setUpLink: `${url}${printed}`,
    async open() {
      const context = await browser.newContext()
      const token = printed.split('=').at(-1) ?? ''
      const furniture = await furnish(context.request, browser, {
        url,
        token,
        hooks: receiverNames.map(receivers.urlOf),
      })
      const session = await context.storageState()
      await context.close()
      return { ...furniture, session }
    },
    async endTrials() {
      const engine = openEngine({ url: database.url, connections: 1 }, { writes: true })
      await engine.transaction(async ({ session }) => {
        await session.run("update workspaces set trial_ends_at = '2020-01-01T00:00:00.000Z'", [])
      })
      await engine.close()
    },
    async close() {
      await browser.close()
      await service.stop()
      receivers.close()
      await database.drop()
    },
  }
}

/** Waits for the link: the service is ready shortly before it prints it. */
async function until(read: () => string | undefined): Promise<string> {
  for (;;) {
    const found = read()
    if (found !== undefined) return found
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
}
