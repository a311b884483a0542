import type { Locator, Page } from 'playwright-core'

/** Picks something up with Space on its handle, and waits until arrows move it. */
export async function pickUp(page: Page, handle: Locator, told: RegExp | string): Promise<void> {
  await handle.focus()
  await page.keyboard.press('Space')
  // Its place is told when all places are measured. Keys are listened to from the next task on.
  await page.getByText(told).waitFor({ state: 'attached' })
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done))))
}

/** Moves an item of a list by one place with the keyboard. */
export async function moveInList(page: Page, name: string, { from, to }: { from: number; to: number }): Promise<void> {
  await pickUp(page, page.getByRole('button', { name: `Move ${name}`, exact: true }), `${name} at place ${from} of`)
  await page.keyboard.press(to < from ? 'ArrowUp' : 'ArrowDown')
  await page.getByText(`${name} at place ${to} of`).waitFor({ state: 'attached' })
  await page.keyboard.press('Space')
  await page.getByText(`Dropped ${name} at place ${to} of`).waitFor({ state: 'attached' })
}
