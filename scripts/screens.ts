import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import type { Session } from './screens/furnish.ts'
import { furnishOwn, ownScenes } from './screens/own-scenes.ts'
import { pictureBook } from './screens/picture-book.ts'
import { furnishReports, reportScenes } from './screens/report-scenes.ts'
import { billing, paused, type Scene, scenes } from './screens/scenes.ts'
import { furnishTalk, talkScenes } from './screens/talk-scenes.ts'
import { newWorld, type Opened, type World } from './screens/world.ts'

/** Takes pictures of every screen (light, dark, narrow) and writes their page. An argument filters by name. */
const FOLDER = join(import.meta.dirname, '..', 'docs', 'screens')

const looks = [
  { look: 'light', theme: 'light', width: 1280 },
  { look: 'dark', theme: 'dark', width: 1280 },
  { look: 'narrow', theme: 'light', width: 400 },
  { look: 'narrow-dark', theme: 'dark', width: 400 },
] as const

type Look = (typeof looks)[number]

const [only = ''] = process.argv.slice(2)
const failures: string[] = []
mkdirSync(FOLDER, { recursive: true })

const setUp: Scene = {
  name: 'set-up',
  title: 'First start',
  group: 'Entrance',
  outside: true,
  show: async (page, { base }) => {
    await page.goto(base)
    await page.getByLabel('Your name').waitFor()
  },
}

await inWorld({}, async (world) => {
  // Before there is an account, this is the only screen.
  const nowhere = { empty: '', invitation: '', twins: [], colleagues: [], session: { cookies: [], origins: [] } }
  const ids = { company: '', person: '', opportunity: '', task: '', note: '' }
  await takeAll(world, [setUp], { ...nowhere, ids, base: world.setUpLink })
  const opened = await world.open()
  // Imports come last: the people that they create would be in the lists of the other pictures.
  for (const isLast of [false, true]) {
    const some = scenes.filter(({ group }) => (group === 'Import') === isLast)
    await takeAll(world, some, opened)
  }
  // So does talk, which the activity shows, and own resources, which the navigation shows.
  for (const [some, furnish] of [
    [talkScenes, furnishTalk],
    [reportScenes, furnishReports],
    [ownScenes, furnishOwn],
  ] as const) {
    if (wanted(some).length > 0) await furnish(world.browser, opened)
    await takeAll(world, some, opened)
  }
})
await inWorld({ HOSTED: 'true' }, async (world) => {
  const opened = await world.open()
  await takeAll(world, [billing], opened)
  await world.endTrials()
  await takeAll(world, [paused], opened)
})
writeFileSync(
  join(FOLDER, 'README.md'),
  pictureBook([setUp, ...scenes, ...talkScenes, ...reportScenes, ...ownScenes, billing, paused]),
)
for (const failure of failures) console.error(failure)
process.exitCode = failures.length === 0 ? 0 : 1

async function inWorld(
  settings: Readonly<Record<string, string>>,
  take: (world: World) => Promise<void>,
): Promise<void> {
  const world = await newWorld(settings)
  try {
    await take(world)
  } finally {
    await world.close()
  }
}

async function takeAll(world: World, all: readonly Scene[], opened: Opened): Promise<void> {
  for (const look of looks) {
    const taken = wanted(all).filter(({ darkNarrow }) => look.look !== 'narrow-dark' || darkNarrow)
    for (const outside of [true, false]) {
      const here = taken.filter((one) => (one.outside ?? false) === outside)
      if (here.length === 0) continue
      const context = await contextFor(world.browser, look, outside ? undefined : opened.session)
      for (const one of here) await take(one, opened, { page: await context.newPage(), look })
      await context.close()
    }
  }
}

function wanted(all: readonly Scene[]): Scene[] {
  return all.filter(({ name }) => only.split(',').some((part) => name.includes(part)))
}

function contextFor(browser: Browser, { theme, width }: Look, session: Session | undefined) {
  return browser.newContext({
    viewport: { width, height: 800 },
    colorScheme: theme,
    reducedMotion: 'reduce',
    locale: 'en-GB',
    timezoneId: 'Europe/Berlin',
    ...(session && { storageState: session }),
  })
}

type Shown = { page: Page; look: Look }

async function take(one: Scene, opened: Opened, { page, look: { look, width } }: Shown): Promise<void> {
  page.setDefaultTimeout(10_000)
  const path = join(FOLDER, `${one.name}-${look}.webp`)
  try {
    await one.show(page, opened, width < 640)
    await page.waitForFunction(isLoaded)
    await page.waitForTimeout(300)
    await save(page, path)
    console.log(`${one.name} ${look}`)
  } catch (error) {
    failures.push(`${one.name} ${look}: ${error instanceof Error ? error.message : error}`)
    await save(page, path)
  }
  await page.close()
}

/** Whether nothing in view is still being loaded. A board loads its other columns when they come into view. */
function isLoaded(): boolean {
  return [...document.querySelectorAll('.shimmer')].every((one) => {
    const { left, top } = one.getBoundingClientRect()
    return left >= window.innerWidth || top >= window.innerHeight
  })
}

/** WebP keeps text sharp at half the size. Only the DevTools protocol can write it. */
async function save(page: Page, path: string): Promise<void> {
  const devtools = await page.context().newCDPSession(page)
  const { data } = await devtools.send('Page.captureScreenshot', { format: 'webp', quality: 72 })
  writeFileSync(path, Buffer.from(data, 'base64'))
}
