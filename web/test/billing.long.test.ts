import { expect, it } from 'vitest'
import { ownService } from '../../server/test/own-service.ts'
import { accessibilityProblems } from './accessibility.ts'
import { visitTo } from './visit.ts'

it('a hosted workspace shows what is left of its trial; a paused one its settings and nothing of its records', async () => {
  const own = await ownService({ HOSTED: 'true' })
  const workspace = await own.workspace()
  const { page, open } = await visitTo(workspace, { url: own.url })
  await page.goto(`${own.url}/${workspace.slug}/settings/billing`)
  await page.getByText('14 days of the trial are left.').waitFor()
  expect(await accessibilityProblems(page)).toEqual([])

  await own.runtime.engine.transaction(async (inside) => {
    await inside.session.run(
      `update workspaces set trial_ends_at = '2020-01-01T00:00:00.000Z' where slug = '${workspace.slug}'`,
      [],
    )
  })
  await page.goto(`${own.url}/${workspace.slug}/companies`)
  await page.getByRole('heading', { name: 'This workspace is paused' }).waitFor()
  expect(await accessibilityProblems(page)).toEqual([])
  await page.getByRole('link', { name: 'Go to billing' }).click()
  await page.getByText('This workspace is paused.').waitFor()
  await page.getByText('The trial has ended.').waitFor()
  await open('/settings/tokens')
  await page.getByRole('heading', { name: 'No token yet' }).waitFor()
  await own.stop()
})
