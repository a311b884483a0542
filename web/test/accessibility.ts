import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { isLong } from '../../server/test/run-length.ts'

const source = readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** The tags of the rules that every screen must pass. */
const ALL = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
/** The rules that look at colours. A change of the theme changes nothing else. */
const COLOURS = ['color-contrast', 'link-in-text-block']

/** Returns the problems only: the whole result names every element that passed and takes seconds to transfer. */
const run = (rules: readonly string[]) => `axe
  .run(document, { runOnly: ${JSON.stringify(rules)}, resultTypes: ['violations'] })
  .then(({ violations }) =>
    violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => id + ': ' + html.slice(0, 200) + ' ' + (failureSummary ?? '')),
    ),
  )`

/** What axe finds wrong on the page as it is now: one line for each element. */
export async function accessibilityProblems(page: Page, rules: readonly string[] = ALL): Promise<string[]> {
  if (await page.evaluate("typeof axe === 'undefined'")) await page.evaluate(await source)
  return page.evaluate(run(rules))
}

export type Appearance = { theme: 'light' | 'dark'; width: number }

const themes = ['light', 'dark'] as const
export const wide = themes.map((theme) => ({ theme, width: 1280 }))
export const narrow = themes.map((theme) => ({ theme, width: 400 }))

/**
 * Checks the page in each appearance in turn, without loading it again, and leaves it in the first one. Every width is
 * checked with all rules, and its other themes with the rules about colours. `npm test` checks the first appearance
 * alone: axe takes a second of a processor each time. What is passed on is checked in each appearance.
 */
export async function expectAccessible(
  page: Page,
  appearances: readonly Appearance[],
  what = '',
  check?: (where: string) => Promise<void>,
): Promise<void> {
  const widths = new Set<number>()
  const [first] = appearances
  for (const appearance of appearances) {
    const isChecked = isLong || appearance === first
    if (!isChecked && !check) continue
    const { theme, width } = appearance
    const where = `${what} in the ${theme} theme, ${width} pixels wide`
    await change(page, appearance)
    await check?.(where)
    if (!isChecked) continue
    expect(await accessibilityProblems(page, widths.has(width) ? COLOURS : ALL), where).toEqual([])
    widths.add(width)
  }
  if (first) await change(page, first)
}

/** Checks also that nothing is wider than the page. */
export async function expectFitting(page: Page, appearances: readonly Appearance[], what = ''): Promise<void> {
  await expectAccessible(page, appearances, what, async (where) => expect(await overflow(page), where).toBe(0))
}

async function change(page: Page, { theme, width }: Appearance): Promise<void> {
  await page.emulateMedia({ colorScheme: theme })
  await page.setViewportSize({ width, height: 800 })
  await page.locator(`html[data-theme="${theme}"]`).waitFor({ state: 'attached' })
}

/** By how many pixels content is wider than the page or its main part. */
function overflow(page: Page): Promise<number> {
  return page.evaluate(
    `Math.max(...[document.documentElement, ...document.querySelectorAll('main > div')].map(
      (area) => area.scrollWidth - area.clientWidth))`,
  )
}
