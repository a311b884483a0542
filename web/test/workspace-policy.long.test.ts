import { expect, it } from 'vitest'
import { ownService } from '../../server/test/own-service.ts'
import { visitTo } from './visit.ts'

it('where new workspaces are made by the operator, the menu and the page say so instead of offering one', async () => {
  const own = await ownService({ WORKSPACE_CREATION: 'operator' })
  const { page, open } = await visitTo(await own.workspace(), { url: own.url })
  await open('/companies')
  await page.getByRole('button', { name: /^Workspace w/ }).click()
  await page.getByText('Only the operator of this installation can create workspaces').waitFor()
  expect(await page.getByRole('menuitem', { name: 'New workspace' }).count()).toBe(0)
  await page.goto(`${own.url}/new-workspace`)
  await page.getByRole('heading', { name: 'No new workspace' }).waitFor()
  expect(await page.getByRole('button', { name: 'Create workspace' }).count()).toBe(0)
  await own.stop()
})
