import { randomBytes } from 'node:crypto'
import { type APIRequestContext, type Browser, chromium } from 'playwright-core'
import { openEngine } from '../../server/src/storage/engines/open-engine.ts'
import { testDatabase } from '../../server/test/engine.ts'
import { freePort } from '../../server/test/setup/postgres.ts'
import { startService } from '../../server/test/setup/service.ts'
import { startChromium } from '../../web/test/setup/chromium.ts'
import { type Furniture, furnish } from './furnish.ts'

/** A service on a database of its own, and a browser before it. */
export type World = {
  url: string
  browser: Browser
  /** The printed link of the first start. */
  setUpLink: string
  /** Makes the owner and what there is to see; before that nobody has an account. */
  open(): Promise<Opened>
  /** All trials of a hosted service are over. */
  endTrials(): Promise<void>
  close(): Promise<void>
}

/** What the pictures are taken of: the owner's session, and where things are. */
export type Opened = Furniture & { session: Session }

export type Session = Awaited<ReturnType<APIRequestContext['storageState']>>

const LINK = /\/set-up\?token=[\w-]+/

export async function newWorld(settings: Readonly<Record<string, string>> = {}): Promise<World> {
  const database = await testDatabase('sqlite')
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const limits = { RATE_LIMIT_WORKSPACE: '0', RATE_LIMIT_READS: '0', RATE_LIMIT_WRITES: '0' }
  const SECRET = randomBytes(32).toString('hex')
  const own = { DATABASE_URL: database.url, SECRET, PORT: String(port), APP_URL: url }
  const service = await startService({ ...own, ...limits, ...settings })
  const server = await startChromium()
  const browser = await chromium.connect(server.wsEndpoint())
  const printed = await until(() => LINK.exec(service.output())?.[0])
  return {
    url,
    browser,
    setUpLink: `${url}${printed}`,
    async open() {
      const context = await browser.newContext()
      const furniture = await furnish(context.request, browser, { url, token: printed.split('=').at(-1) ?? '' })
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
      await server.close()
      await service.stop()
      await database.drop()
    },
  }
}

/** The service is ready a moment before it prints the link. */
async function until(read: () => string | undefined): Promise<string> {
  for (;;) {
    const found = read()
    if (found !== undefined) return found
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
}
