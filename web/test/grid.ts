import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'

/** The table of a list, as a person finds their way in it: by the names of rows and columns. */
export type Grid = {
  root: Locator
  /** The row of a record, by its name. */
  row(name: string): Locator
  cell(name: string, column: string): Promise<Locator>
  /** The names in the first column, from the top, as far as they are drawn. */
  names(): Promise<string[]>
  /** Waits until exactly these are there, in this order. */
  shows(names: readonly string[]): Promise<void>
}

export function gridOn(page: Page): Grid {
  const root = page.getByRole('grid')
  const row = (name: string) => root.getByRole('row').filter({ has: page.getByRole('link', { name, exact: true }) })
  const names = () => root.locator('[data-column="0"] a').allInnerTexts().then(withoutInitials)
  return {
    root,
    row,
    names,
    async cell(name, column) {
      const heads = async () => (await root.getByRole('columnheader').allInnerTexts()).map((head) => head.trim())
      await expect.poll(heads).toContain(column)
      return row(name)
        .getByRole('gridcell')
        .nth((await heads()).indexOf(column))
    },
    async shows(expected) {
      await expect.poll(names).toEqual(expected)
    },
  }
}

/** The initials next to a name are hidden from screen readers. */
function withoutInitials(texts: string[]): string[] {
  return texts.map((text) => text.split('\n').at(-1)?.trim() ?? '')
}
