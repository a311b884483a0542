import type { Scene } from './scenes.ts'

/** A change of many records: what is changed, and what became of it. */
export const bulkScenes: Scene[] = [
  {
    name: 'bulk-edit',
    title: 'Bulk edit',
    group: 'Lists and boards',
    async show(page, { base }, narrow) {
      await page.goto(`${base}/companies`)
      await page.locator('main a[href*="/companies/"]').nth(5).waitFor()
      const line = narrow ? page.getByRole('main').getByRole('listitem').nth(1) : page.getByRole('row').nth(1)
      await line.hover()
      await line.getByRole('checkbox').click()
      const bar = page.getByRole('toolbar', { name: 'Selected records' })
      await bar.getByRole('button', { name: /^(Select )?all \d/ }).click()
      await bar.getByRole('button', { name: 'Edit' }).click()
      await page.getByRole('heading', { name: /^Edit \d+ companies/ }).waitFor()
    },
  },
]
