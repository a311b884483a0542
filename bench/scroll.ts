import { parseArgs } from 'node:util'
import { startService } from '../server/test/setup/service.ts'
import { startChromium } from '../web/test/setup/chromium.ts'
import { type BenchData, cachedData } from './data.ts'
import { kith, SECRET } from './kith.ts'

/** Frames and long tasks while a long list scrolls in Chromium. Build web/ first. */
const { values } = parseArgs({
  options: { companies: { type: 'string', default: '100000' }, seconds: { type: 'string', default: '10' } },
})
const companies = Number(values.companies)
const seconds = Number(values.seconds)
const WHEEL_PX = 400
const TURN_MS = 50

type Scrolled = { frames: number[]; longTasks: number[] }

const { copy } = await cachedData({ database: 'sqlite', sizes: { companies }, server: undefined })
const data = await copy('scroll')
const person = createMember(data)
const service = await startService({ DATABASE_URL: data.url, SECRET })
const browser = await startChromium()
try {
  const { frames, longTasks } = await scroll(service.url)
  const whole = frames.reduce((sum, one) => sum + one, 0)
  console.log(`${companies} companies, scrolled by the wheel for ${seconds} s, ${WHEEL_PX} px every ${TURN_MS} ms`)
  console.log(`frames per second: ${((frames.length / whole) * 1000).toFixed(1)}`)
  console.log(`longest frame: ${Math.max(...frames).toFixed(0)} ms`)
  console.log(`frames over 50 ms: ${frames.filter((one) => one > 50).length} of ${frames.length}`)
  const longest = longTasks.length === 0 ? '' : `, the longest ${Math.max(...longTasks).toFixed(0)} ms`
  console.log(`long tasks (over 50 ms): ${longTasks.length}${longest}`)
} finally {
  await browser.close()
  await service.stop()
}

async function scroll(url: string): Promise<Scrolled> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
  const sent = { headers: { 'X-Kith-App': '1' }, data: person }
  const signedIn = await context.request.post(`${url}/api/app/sign-in`, sent)
  if (!signedIn.ok()) throw new Error(`Could not sign in: ${await signedIn.text()}`)
  const page = await context.newPage()
  await page.goto(`${url}/${data.slug}/companies`)
  await page.locator('[data-row="5"] a').first().waitFor()
  await page.getByRole('grid').hover()
  await page.evaluate(() => {
    const measured: Scrolled = { frames: [], longTasks: [] }
    Object.assign(window, { measured })
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) measured.longTasks.push(entry.duration)
    }).observe({ type: 'longtask' })
    let last = performance.now()
    const tick = (now: number) => {
      measured.frames.push(now - last)
      last = now
      requestAnimationFrame(tick)
    }
    requestAnimationFrame(tick)
  })
  const end = Date.now() + seconds * 1000
  while (Date.now() < end) {
    await page.mouse.wheel(0, WHEEL_PX)
    await page.waitForTimeout(TURN_MS)
  }
  // Set by the script above.
  const measured = await page.evaluate(() => (window as unknown as { measured: Scrolled }).measured)
  return measured
}

function createMember(at: BenchData): { email: string; password: string } {
  const person = { email: 'scroll@example.com', password: 'correct horse battery' }
  kith(at, ['user', 'create', '--name', 'Scroll', '--email', person.email, '--password-stdin'], person.password)
  kith(at, ['member', 'add', '--workspace', at.slug, '--email', person.email, '--role', 'member'])
  return person
}
