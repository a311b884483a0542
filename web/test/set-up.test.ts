import { expect, it } from 'vitest'
import { type OwnService, ownService } from '../../server/test/own-service.ts'
import { isLong } from '../../server/test/run-length.ts'
import { accessibilityProblems } from './accessibility.ts'
import { newPage } from './pages.ts'

const LINK = /\/set-up\?token=[\w-]+/

/** The service is ready a moment before it says so. */
async function printedLink({ service, url }: OwnService): Promise<string> {
  await expect.poll(() => service.output()).toMatch(LINK)
  return `${url}${LINK.exec(service.output())?.[0]}`
}

it('the printed link leads from the first start to the first list', async () => {
  const own = await ownService()
  const page = await newPage()
  await page.goto(own.url)
  await page.getByRole('heading', { name: 'Set up Kith' }).waitFor()
  await page.getByText('There are no accounts yet').waitFor()
  expect(await accessibilityProblems(page)).toEqual([])

  await page.goto(await printedLink(own))
  await page.getByRole('button', { name: 'Set up Kith' }).click()
  await page.getByText('Your name is missing.').waitFor()
  await page.getByText('Workspace is missing.').waitFor()
  await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('name'))).toBe('name')
  await page.getByLabel('Your name').fill('Ada Byron')
  await page.getByLabel('Email').fill('ada@example.com')
  await page.getByRole('textbox', { name: 'Password' }).fill('correct horse battery')
  await page.getByLabel('Workspace').fill('Engines')
  expect(await accessibilityProblems(page)).toEqual([])
  expect(await page.getByRole('checkbox', { name: /sample records/ }).isChecked()).toBe(true)
  await page.getByRole('button', { name: 'Set up Kith' }).click()

  await page.getByRole('navigation', { name: 'Workspace' }).getByRole('link', { name: 'Companies' }).click()
  await expect.poll(() => new URL(page.url()).pathname).toBe('/engines/companies')
  await page.getByRole('grid').getByRole('link').nth(5).waitFor()

  await page.goto(await printedLink(own))
  await page.getByRole('heading', { name: 'Kith is set up' }).waitFor()
  await own.stop()
})

it.runIf(isLong)('without sample records the first list is empty', async () => {
  const own = await ownService()
  const page = await newPage({ width: 400 })
  await page.goto(await printedLink(own))
  await page.getByLabel('Your name').fill('Ada Byron')
  await page.getByLabel('Email').fill('ada@example.com')
  await page.getByRole('textbox', { name: 'Password' }).fill('correct horse battery')
  await page.getByLabel('Workspace').fill('Engines')
  await page.getByRole('checkbox', { name: /sample records/ }).uncheck()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Open navigation' }).waitFor()
  const { body } = await (await own.workspace()).api.get('/companies')
  expect(body.data).toEqual([])
  await page.goto(`${own.url}/engines/settings/workspace`)
  await page.getByRole('button', { name: 'Fill with sample records' }).click()
  await page.getByText('The workspace has sample records now.', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Fill with sample records' }).waitFor({ state: 'detached' })
  await own.stop()
})
