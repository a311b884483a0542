import { it } from 'vitest'
import { gridOn } from './grid.ts'
import { visit, visitTo } from './visit.ts'

const shot = process.env.SHOTS
it('a resource is made by its name alone, by keyboard, and has everything that the others have', async () => {
  const { workspace, page, open } = await visit()
  const take = async (name: string) => shot && page.screenshot({ path: `${shot}/${name}.png` })
  const other = await visitTo(workspace, { name: 'Grace Hopper' })
  await other.open('/companies')
  const elsewhere = other.page.getByRole('navigation', { name: 'Workspace' })
  await elsewhere.getByRole('link', { name: 'Notes' }).waitFor()
  await open('/settings/data')
  await page.getByRole('button', { name: 'New resource' }).focus()
  await page.keyboard.press('Enter')
  await page.keyboard.type('Projects')
  await page.getByText('One is called Project.').waitFor()
  await take('1-dialog')
  await page.keyboard.press('Enter')
  await page.getByText('No projects yet').waitFor()
  await take('2-empty')
  // In another window it appears without a reload.
  await elsewhere.getByRole('link', { name: 'Projects' }).waitFor()
  await page.keyboard.press('c')
  await page.keyboard.type('Harbour')
  await page.keyboard.press('Enter')
  await gridOn(page).shows(['Harbour'])
  await take('3-list')
})
