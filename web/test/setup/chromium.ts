import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

/** The first has no windows of its own, and takes a fifth less processor time for the same journeys. */
const places = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome-stable',
  '/usr/bin/google-chrome',
]

/** Without a browser the journeys fail, and say what to do. */
export async function startChromium(): Promise<Browser> {
  return chromium.launch({ executablePath: chromiumPath(), args: ['--no-sandbox', '--disable-dev-shm-usage'] })
}

function chromiumPath(): string {
  const { CHROMIUM_PATH } = process.env
  const found = [CHROMIUM_PATH, ...places].find((path) => path !== undefined && existsSync(path))
  if (found !== undefined) return found
  throw new Error(
    'The journeys in web/test need Chromium. Run "npm run test:install", or set CHROMIUM_PATH to where it is.',
  )
}
