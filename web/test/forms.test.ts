import type { Locator, Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { isLong } from '../../server/test/run-length.ts'
import { gridOn } from './grid.ts'
import { visit } from './visit.ts'

/** Lets no change through until it is called. */
async function cutOff(page: Page): Promise<() => void> {
  let isCut = true
  await page.route('**/api/app/**', (route) =>
    isCut && ['POST', 'PATCH', 'PUT'].includes(route.request().method()) ? route.abort() : route.continue(),
  )
  return () => {
    isCut = false
  }
}

const NOT_REACHED = 'The service could not be reached.'

it('a form keeps what was typed when it cannot be saved, and asks before it is closed', async () => {
  const { page, open } = await visit()
  const forms = [
    {
      path: '/settings/members',
      opens: 'Invite',
      label: /^Email/,
      text: 'ada@example.com',
      saves: 'Create invitation',
    },
    { path: '/settings/tokens', opens: 'New token', label: 'Name', text: 'Import', saves: 'Create token' },
  ]
  await cutOff(page)
  for (const { path, opens, label, text, saves } of forms) {
    await open(path)
    await page.getByRole('button', { name: opens, exact: true }).first().click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel(label).fill(text)
    await dialog.getByRole('button', { name: saves }).click()
    await dialog.getByText(NOT_REACHED).waitFor()
    await page.keyboard.press('Escape')
    await dialog.getByText('Discard what you typed?').waitFor()
    await dialog.getByRole('button', { name: 'Keep editing' }).click()
    expect(await dialog.getByLabel(label).inputValue()).toBe(text)
    await page.keyboard.press('Escape')
    await dialog.getByRole('button', { name: 'Discard' }).click()
    await dialog.waitFor({ state: 'detached' })
  }
  for (const path of ['/settings/workspace', '/settings/profile']) {
    await open(path)
    const name = page.getByLabel('Name', { exact: true })
    await name.fill('Another name')
    await page.getByRole('button', { name: 'Save', exact: true }).first().click()
    await page.getByText(NOT_REACHED).first().waitFor()
    expect(await name.inputValue()).toBe('Another name')
  }
})

it.runIf(isLong)('a window that closes gives the focus back', async () => {
  const { workspace, page, open } = await visit()
  const { body } = await workspace.api.post('/companies', { name: 'Acme' })
  const window = page.getByRole('dialog').or(page.getByRole('alertdialog'))
  const closes = async (focused: Locator) => {
    await window.waitFor()
    await page.keyboard.press('Escape')
    await window.waitFor({ state: 'detached' })
    await focused.and(page.locator(':focus')).waitFor()
  }
  await open('/companies')
  const cell = await gridOn(page).cell('Acme', 'Domains')
  await cell.focus()
  for (const keys of ['?', 'ControlOrMeta+k']) {
    await page.keyboard.press(keys)
    await closes(cell)
  }
  await page.keyboard.press('x')
  await page.keyboard.press('e')
  await closes(cell)
  // A menu is gone when the window that it has opened closes.
  const views = page.getByRole('button', { name: /^Views: / })
  await views.focus()
  await page.keyboard.press('Enter')
  await page.getByRole('menuitem', { name: 'Save as a new view' }).press('Enter')
  await closes(views)
  // What a window begins keeps the focus.
  await page.keyboard.press('ControlOrMeta+k')
  await page.getByRole('option', { name: 'New company' }).click()
  await page.getByRole('dialog', { name: 'New company' }).getByLabel('Name').and(page.locator(':focus')).waitFor()
  await open('/settings/fields')
  const opens = page.getByRole('button', { name: 'New field' })
  await opens.press('Enter')
  await closes(opens)
  await open(`/companies/${body.data.id}`)
  const add = page.getByRole('button', { name: 'Add an external id' })
  await add.press('Enter')
  await page.getByLabel('System').press('Escape')
  await add.and(page.locator(':focus')).waitFor()
})

it.runIf(isLong)(
  'a field that cannot be saved stays a draft, also when its form is closed or the page is loaded again',
  async () => {
    const { workspace, page, open } = await visit()
    const reconnect = await cutOff(page)
    await open('/settings/fields?of=people')
    const form = page.getByRole('dialog')
    await page.getByRole('button', { name: 'New field' }).click()
    await form.getByRole('button', { name: /^Text/ }).first().click()
    await form.getByLabel('Name').fill('Nickname')
    await form.getByRole('button', { name: 'Create field' }).click()
    await form.getByText(NOT_REACHED).waitFor()
    await page.keyboard.press('Escape')
    await form.waitFor({ state: 'detached' })
    await page.reload()
    const bar = page.getByRole('region', { name: 'Unsaved changes' })
    await bar.getByText('1 change is not saved.').waitFor()
    await page.getByRole('button', { name: 'New field' }).click()
    await form.getByText('This is your draft').waitFor()
    expect(await form.getByLabel('Name').inputValue()).toBe('Nickname')
    reconnect()
    await form.getByRole('button', { name: 'Create field' }).click()
    await form.waitFor({ state: 'detached' })
    await bar.waitFor({ state: 'detached' })
    const { body } = await workspace.api.get('/custom-fields?entity_type=people')
    expect(JSON.stringify(body)).toContain('Nickname')
  },
)

it.runIf(isLong)('a form whose session has ended stays open, and is saved after a sign-in in another tab', async () => {
  const { page, open, email, password } = await visit()
  await open('/settings/tokens')
  await page.getByRole('button', { name: 'New token' }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill('Import')
  await page.context().clearCookies()
  await dialog.getByRole('button', { name: 'Create token' }).click()
  await dialog.getByText('Your session has ended.').waitFor()
  const opened = page.context().waitForEvent('page')
  await dialog.getByRole('link', { name: 'Sign in in another tab' }).click()
  const other = await opened
  await other.getByLabel('Email').fill(email)
  await other.getByRole('textbox', { name: 'Password' }).fill(password)
  await other.getByRole('button', { name: 'Sign in' }).click()
  await other.getByRole('heading', { name: 'No token yet' }).waitFor()
  await other.close()
  expect(await dialog.getByLabel('Name').inputValue()).toBe('Import')
  await dialog.getByRole('button', { name: 'Create token' }).click()
  await page.getByRole('heading', { name: 'Import is ready' }).waitFor()
})

it.runIf(isLong)('what is typed while a form is being saved stays', async () => {
  const { page, open } = await visit()
  const answer = Promise.withResolvers<void>()
  await page.route('**/api/app/profile', async (route) => {
    await answer.promise
    await route.continue()
  })
  await open('/settings/profile')
  const name = page.getByLabel('Name', { exact: true })
  await name.fill('Ada')
  await page.getByRole('button', { name: 'Save', exact: true }).first().click()
  await name.fill('Ada Moss')
  answer.resolve()
  await page.getByText('Saved your profile', { exact: true }).waitFor()
  expect(await name.inputValue()).toBe('Ada Moss')
})
