import { existsSync } from 'node:fs'
import { type BrowserServer, chromium } from 'playwright-core'

const places = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome-stable',
  '/usr/bin/google-chrome',
]

/** Starts the browser that all journeys share. Without one the journeys fail, and say what to do. */
export async function startChromium(): Promise<BrowserServer> {
  return chromium.launchServer({ executablePath: chromiumPath(), args: ['--no-sandbox', '--disable-dev-shm-usage'] })
}

function chromiumPath(): string {
  const { CHROMIUM_PATH } = process.env
  const found = [CHROMIUM_PATH, ...places].find((path) => path !== undefined && existsSync(path))
  if (found !== undefined) return found
  throw new Error(
    'The journeys in web/test need Chromium. Run "npm run browser:install", or set CHROMIUM_PATH to where it is.',
  )
}
