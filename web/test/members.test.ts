import { roles } from '@kith/contract/abilities'
import { permissions, roleMay } from '@kith/contract/permissions'
import { expect, it } from 'vitest'
import { isLong } from '../../server/test/run-length.ts'
import { newPage } from './pages.ts'
import { visit, visitTo } from './visit.ts'

it('a person is invited by a link, joins with a new account, gets another role and is removed', async () => {
  const { workspace, page, open } = await visit()
  await open('/settings/members')
  await page.getByRole('button', { name: 'Invite' }).click()
  await page.getByLabel('Email (optional)').fill('grace@example.org')
  await page.getByRole('combobox', { name: 'Role' }).click()
  await page.getByRole('option', { name: 'Viewer' }).click()
  await page.getByRole('button', { name: 'Create invitation' }).click()
  const link = await page.getByRole('region', { name: 'The link' }).innerText()
  await page.getByRole('button', { name: 'Done' }).click()
  await page.getByRole('list', { name: 'Open invitations' }).getByText('grace@example.org').waitFor()

  const guest = await newPage()
  await guest.goto(link)
  await guest.getByText('You are invited as a viewer.').waitFor()
  await expect.poll(() => guest.getByLabel('Email').inputValue()).toBe('grace@example.org')
  await guest.getByLabel('Your name').fill('Grace Moss')
  await guest.getByRole('textbox', { name: 'Password' }).fill('correct horse battery')
  await guest.getByRole('button', { name: 'Join' }).click()
  await guest.getByRole('navigation', { name: 'Workspace' }).waitFor()
  const { origin } = new URL(guest.url())
  await guest.goto(`${origin}/${workspace.slug}/settings/fields`)
  await guest.getByText('Domains', { exact: true }).waitFor()
  expect(await guest.getByRole('button', { name: 'New field' }).count()).toBe(0)

  await page.reload()
  const role = page.getByRole('combobox', { name: 'Role of Grace Moss' })
  await role.click()
  const changed = page.waitForResponse((response) => response.request().method() === 'PATCH')
  await page.getByRole('option', { name: 'Admin' }).click()
  expect((await changed).ok()).toBe(true)
  await guest.reload()
  await guest.getByRole('button', { name: 'New field' }).waitFor()

  await page.getByRole('button', { name: 'More about Grace Moss' }).click()
  await page.getByRole('menuitem', { name: 'Remove' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click()
  await page.getByText('Removed Grace Moss', { exact: true }).waitFor()
  await guest.reload()
  await guest.getByRole('heading', { name: 'There is nothing here' }).waitFor()
})

it.runIf(isLong)('who has an account joins with it, and a link that is withdrawn or used does not work', async () => {
  const { page, open } = await visit()
  const elsewhere = await visit({ name: 'Mia Sand' })
  const invited = async () => {
    await open('/settings/members')
    await page.getByRole('button', { name: 'Invite' }).click()
    await page.getByRole('button', { name: 'Create invitation' }).click()
    const link = await page.getByRole('region', { name: 'The link' }).innerText()
    await page.getByRole('button', { name: 'Done' }).click()
    return link
  }
  const link = await invited()
  await elsewhere.page.goto(link)
  await elsewhere.page.getByText(`You are signed in as ${elsewhere.email}.`).waitFor()
  await elsewhere.page.getByRole('button', { name: 'Join' }).click()
  await elsewhere.page.getByRole('navigation', { name: 'Workspace' }).waitFor()
  await elsewhere.page.goto(link)
  await elsewhere.page.getByRole('heading', { name: 'This link does not work' }).waitFor()

  const other = await invited()
  await page.getByRole('button', { name: /^Withdraw the invitation/ }).click()
  await page.getByRole('list', { name: 'Open invitations' }).waitFor({ state: 'detached' })
  await elsewhere.page.goto(other)
  await elsewhere.page.getByRole('heading', { name: 'This link does not work' }).waitFor()
})

it.runIf(isLong)('the table of roles is the one that is enforced', async () => {
  const { workspace } = await visit()
  const { page, open } = await visitTo(workspace, { role: 'viewer' })
  await open('/settings/members')
  const rows = page.getByRole('table').locator('tbody').getByRole('row')
  await expect.poll(() => rows.count()).toBe(Object.keys(permissions).length)
  for (const [place, name] of Object.keys(permissions).entries()) {
    // They are the keys of the table.
    const permission = name as keyof typeof permissions
    const shown = await rows
      .nth(place)
      .getByRole('img')
      .evaluateAll((marks) => marks.map((mark) => mark.ariaLabel))
    expect(shown, permission).toEqual(roles.map((role) => (roleMay(role, permission) ? 'Yes' : 'No')))
  }
})

it.runIf(isLong)('a workspace is renamed by its admins, and deleted by its owners', async () => {
  const { workspace, page, open } = await visit()
  const admin = await visitTo(workspace, { role: 'admin' })
  await admin.open('/settings/workspace')
  await admin.page.getByRole('textbox', { name: 'Name' }).fill('Another name')
  await admin.page.getByRole('button', { name: 'Save' }).click()
  await admin.page.getByRole('button', { name: 'Another name' }).waitFor()
  expect(await admin.page.getByRole('button', { name: 'Delete the workspace' }).count()).toBe(0)

  await open('/settings/workspace')
  await page.getByRole('button', { name: 'Delete the workspace' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox').fill('something else')
  await expect.poll(() => dialog.getByRole('button', { name: 'Delete the workspace' }).isDisabled()).toBe(true)
  await dialog.getByRole('textbox').fill(workspace.slug)
  await dialog.getByRole('button', { name: 'Delete the workspace' }).click()
  await page.getByRole('heading', { name: 'Create a workspace' }).waitFor()
  await page.getByLabel('Name').fill('The next one')
  await page.getByRole('button', { name: 'Create workspace' }).click()
  await page.getByRole('button', { name: 'The next one' }).waitFor()
})
