import type { Browser, BrowserContext, Page } from 'playwright-core'
import { inject, onTestFinished } from 'vitest'
import { startChromium } from './setup/chromium.ts'

export type Look = { width?: number; height?: number; theme?: 'light' | 'dark' }

/** A page in a browser context of its own, and the origins that it has visited. */
type Kept = { page: Page; origins: Set<string> }

/** Cleared pages of this worker that the next tests use. A new one takes a new process, which costs a second. */
const free: Kept[] = []
/** Each worker has its own, because a shared one takes twice the messages. It ends with the worker. */
let browser: Promise<Browser> | undefined

/** A page without cookies and stored data, in a context of its own. The test fails if the page throws an error. */
export async function newPage({ width = 1280, height = 800, theme = 'light' }: Look = {}): Promise<Page> {
  const kept = free.pop() ?? (await open())
  const { page } = kept
  await page.setViewportSize({ width, height })
  await page.emulateMedia({ colorScheme: theme })
  failOnErrors(page.context(), async (passed) => {
    if (!passed) return page.context().close()
    await clear(kept)
    free.push(kept)
  })
  return page
}

/** A page that no other test uses, for tests that leave behind what cannot be removed. It is slow. */
export async function newOwnPage(): Promise<Page> {
  const { page } = await open()
  failOnErrors(page.context(), () => page.context().close())
  return page
}

async function open(): Promise<Kept> {
  browser ??= startChromium()
  const context = await (await browser).newContext({
    viewport: { width: 1280, height: 800 },
    reducedMotion: 'reduce',
    locale: 'en-GB',
    timezoneId: 'Europe/Berlin',
  })
  context.setDefaultTimeout(120_000)
  const page = await context.newPage()
  const origins = new Set<string>()
  page.on('framenavigated', (frame) => frame.url().startsWith('http') && origins.add(new URL(frame.url()).origin))
  return { page, origins }
}

function failOnErrors(context: BrowserContext, end: (passed: boolean) => Promise<void>): void {
  const errors: string[] = []
  const note = (error: { error(): Error }) => errors.push(error.error().message)
  context.on('weberror', note)
  onTestFinished(async ({ task }) => {
    context.off('weberror', note)
    const passed = task.result?.state !== 'fail' && errors.length === 0
    if (!passed) await tell(context)
    await end(passed)
    if (errors.length > 0) throw new Error(`The page threw: ${errors.join('; ')}`)
  })
}

/** Prints what the pages of a failed test show. */
async function tell(context: BrowserContext): Promise<void> {
  for (const page of context.pages()) {
    const shown = await page.locator('body').ariaSnapshot().catch(String)
    const focus = await page.evaluate(() => document.activeElement?.outerHTML.slice(0, 200)).catch(String)
    console.log(`${page.url()}\n${shown}\nFocus: ${focus}`)
  }
}

/** Removes all that a test can leave behind. */
async function clear({ page, origins }: Kept): Promise<void> {
  const context = page.context()
  page.removeAllListeners('request')
  await page.unrouteAll()
  for (const other of context.pages()) if (other !== page) await other.close()
  // Leaves the application, but not the host: the browser starts a new process for another one.
  await page.goto(`${inject('service').url}/healthz`)
  await context.clearCookies()
  const devtools = await context.newCDPSession(page)
  for (const origin of origins) {
    await devtools.send('Storage.clearDataForOrigin', { origin, storageTypes: 'local_storage,indexeddb,cache_storage' })
  }
  origins.clear()
  await devtools.detach()
}
