import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

const places = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome-stable',
  '/usr/bin/google-chrome',
]

/**
 * Of no use to a journey, and paid for by each: the list under the address bar is two pages, created for every
 * window.
 */
const unused = ['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup', 'SpareRendererForSitePerProcess']
/** What Playwright switches off for steady tests. The browser reads one list only, the last. */
const unsteady = [
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsUpgrades',
  'LensOverlay',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'PaintHolding',
  'PreconnectToSearch',
  'ThirdPartyStoragePartitioning',
]

/** Without a browser the journeys fail, and say what to do. */
export async function startChromium(): Promise<Browser> {
  const features = `--disable-features=${[...unused, ...unsteady].join()}`
  const args = ['--no-sandbox', '--disable-dev-shm-usage', features]
  return chromium.launch({ executablePath: chromiumPath(), args })
}

function chromiumPath(): string {
  const { CHROMIUM_PATH } = process.env
  const found = [CHROMIUM_PATH, ...places].find((path) => path !== undefined && existsSync(path))
  if (found !== undefined) return found
  throw new Error(
    'The journeys in web/test need Chromium. Run "npm run test:install", or set CHROMIUM_PATH to where it is.',
  )
}
