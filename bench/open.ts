import { parseArgs } from 'node:util'
import { perResource } from '@kith/contract/resource'
import type { Page } from 'playwright-core'
import { startService } from '../server/test/setup/service.ts'
import { startChromium } from '../web/test/setup/chromium.ts'
import { type BenchData, cachedData, type Database } from './data.ts'
import { kith, SECRET } from './kith.ts'
import { startServer } from './postgres.ts'

/** How fast screens of a large workspace open in Chromium, and the longest task of a jump. Build web/ first. */
const { values } = parseArgs({
  options: {
    database: { type: 'string', default: 'sqlite' },
    records: { type: 'string', default: '100000' },
    rounds: { type: 'string', default: '5' },
  },
})
const database: Database = values.database === 'postgres' ? 'postgres' : 'sqlite'
const records = Number(values.records)
const rounds = Number(values.rounds)

const server = database === 'postgres' ? await startServer() : undefined
const { copy } = await cachedData({ database, sizes: perResource(() => records), server: server?.url })
const data = await copy('open')
const person = createMember(data)
const service = await startService({ DATABASE_URL: data.url, SECRET })
const browser = await startChromium()
try {
  const page = await signedIn(service.url)
  const board = `${service.url}/${data.slug}/opportunities?layout=board`
  console.log(`${records} records of each resource on ${database}, median of ${rounds} (and the slowest)`)
  await measure('board: cards and counts', () => opened(page, board, boardShown))
  await measure('board: with sums', () => opened(page, board, nothingLoads))
  await measure('home', () => opened(page, `${service.url}/${data.slug}`, nothingLoads))
  await measure('longest task of a jump to the end of a list', () => jump(page))
} finally {
  await browser.close()
  await service.stop()
  await server?.stop()
}

async function measure(name: string, once: () => Promise<number>): Promise<void> {
  const found: number[] = []
  // The first round fills the caches of the browser and of the database.
  for (let round = 0; round <= rounds; round++) found.push(await once())
  const sorted = found.slice(1).sort((one, other) => one - other)
  const median = sorted[Math.floor(sorted.length / 2)] ?? 0
  console.log(`${name}: ${Math.round(median)} ms (${Math.round(sorted.at(-1) ?? 0)} ms)`)
}

async function signedIn(url: string): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
  const sent = { headers: { 'X-Kith-App': '1' }, data: person }
  const answer = await context.request.post(`${url}/api/app/sign-in`, sent)
  if (!answer.ok()) throw new Error(`Could not sign in: ${await answer.text()}`)
  return context.newPage()
}

/** Milliseconds from the start of the navigation until the page shows what is waited for. */
async function opened(page: Page, address: string, shown: () => boolean): Promise<number> {
  await page.goto(address)
  await page.waitForFunction(shown, undefined, { polling: 'raf' })
  return page.evaluate(() => performance.now())
}

/** Columns out of sight fetch their cards later. */
function boardShown(): boolean {
  const all = [...document.querySelectorAll('main section[aria-label]')]
  const columns = all.filter((column) => column.getBoundingClientRect().left < innerWidth)
  return (
    columns.length > 0 &&
    columns.every((column) => /, /.test(column.getAttribute('aria-label') ?? '') && column.querySelector('article'))
  )
}

/** Whether the screen is drawn and none of its parts is an outline. Pages of a board that come later do not count. */
function nothingLoads(): boolean {
  const outlines = [...document.querySelectorAll('main .shimmer')].filter(
    (outline) => outline.getBoundingClientRect().left < innerWidth,
  )
  const parts = document.querySelectorAll('main section[aria-label]').length
  return parts > 1 && outlines.every((outline) => outline.closest('article, [data-more]'))
}

async function jump(page: Page): Promise<number> {
  await page.goto(`${service.url}/${data.slug}/companies`)
  await page.locator('[data-row="0"] a').first().waitFor()
  await page.locator('[data-row="0"][data-column="0"]').focus()
  await page.evaluate(() => {
    const tasks: number[] = []
    Object.assign(window, { tasks })
    new PerformanceObserver((list) => tasks.push(...list.getEntries().map(({ duration }) => duration))).observe({
      type: 'longtask',
    })
  })
  await page.keyboard.press('Control+End')
  await page
    .locator(`[data-row="${records - 1}"] a`)
    .first()
    .waitFor()
  // Set by the script above; tasks of less than 50 ms are not reported.
  return page.evaluate(() => Math.max(0, ...(window as unknown as { tasks: number[] }).tasks))
}

function createMember(at: BenchData): { email: string; password: string } {
  const person = { email: 'open@example.com', password: 'correct horse battery' }
  kith(at, ['user', 'create', '--name', 'Open', '--email', person.email, '--password-stdin'], person.password)
  kith(at, ['member', 'add', '--workspace', at.slug, '--email', person.email, '--role', 'member'])
  return person
}
