import { describe, expect, it } from 'vitest'
import { isLong } from '../../server/test/run-length.ts'
import { eventually } from './eventually.ts'
import { gridOn } from './grid.ts'
import { visit } from './visit.ts'

describe('the search over everything', () => {
  it('opens a record by its email address, and creates one that it does not find, and a task about it', async () => {
    const { workspace, page, open } = await visit()
    const { api } = workspace
    const { body } = await api.post('/people', {
      name: 'Ada Byron',
      custom_fields: { emails: ['countess@example.com'] },
    })
    await open('/companies')
    await page.getByRole('heading', { name: 'Companies', exact: true }).waitFor()
    await page.keyboard.press('ControlOrMeta+k')
    await page.getByRole('combobox', { name: 'Search' }).waitFor()
    await page.keyboard.type('countess@')
    await page.getByRole('option', { name: /Ada Byron/ }).waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL(`**/people/${body.data.id}`)
    await page.getByRole('button', { name: 'Edit Name' }).waitFor()
    await page.keyboard.press('ControlOrMeta+k')
    await page.getByRole('group', { name: 'Recent' }).getByRole('option', { name: 'Ada Byron' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'hidden' })

    // What it does not find can be created.
    await page.getByRole('navigation', { name: 'Workspace' }).getByRole('link', { name: 'Notes' }).click()
    await page.getByRole('button', { name: 'Search' }).first().click()
    const search = page.getByRole('combobox', { name: 'Search' })
    await search.fill('Acme')
    await page.getByText('No records for “Acme”.').waitFor()
    await page.getByRole('option', { name: 'New company “Acme”', exact: true }).waitFor()
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog', { name: 'New company' })
    await expect.poll(() => dialog.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('Acme')
    // What was begun in the search is a draft as well.
    await page.reload()
    await page.getByText('1 change is not saved').waitFor()
    await open('/companies')
    await page.getByRole('row', { name: 'New company' }).getByRole('button', { name: 'Create' }).click()
    await eventually(async () => expect((await api.get('/companies')).body.meta.total).toBe(1))
    await page.getByRole('link', { name: 'Acme' }).click()
    await page.getByRole('heading', { level: 1, name: 'Acme' }).waitFor()
    await page.keyboard.press('ControlOrMeta+k')
    await search.fill('new task call them')
    await page.getByRole('option', { name: 'New task “call them” about Acme' }).click()
    await page.getByRole('dialog', { name: 'New task' }).getByRole('button', { name: 'Create' }).click()
    await page.getByRole('tab', { name: 'Tasks 1' }).waitFor()
    const [task] = (await api.get('/tasks?include=companies')).body.data
    expect(task.attributes.title).toBe('call them')
    expect(task.relationships.companies.data).toHaveLength(1)
  })

  it.runIf(isLong)('opens the best hit of what was typed, not one of an earlier list', async () => {
    const { workspace, page, open } = await visit()
    await workspace.api.post('/companies', { name: 'Alder Bank' })
    const { body } = await workspace.api.post('/companies', { name: 'Alpine Labs' })
    let release = () => {}
    const held = new Promise<void>((resolve) => (release = resolve))
    await page.route(/search\?q=alp/, async (route) => {
      await held
      await route.continue()
    })
    await open('/companies')
    await page.getByRole('heading', { name: 'Companies', exact: true }).waitFor()
    await page.keyboard.press('ControlOrMeta+k')
    await page.getByRole('combobox', { name: 'Search' }).fill('al')
    await page.getByRole('option', { name: /Alder Bank/ }).hover()
    // The earlier list is still shown, with its highlight, while the new one is on its way.
    const asked = page.waitForRequest(/search\?q=alp/)
    await page.getByRole('combobox', { name: 'Search' }).fill('alp')
    await asked
    await page.keyboard.press('Enter')
    release()
    await page.waitForURL(`**/companies/${body.data.id}`)
  })

  it.runIf(isLong)('says so when the service cannot be asked, and not that nothing was found', async () => {
    const { workspace, page, open } = await visit()
    await workspace.api.post('/companies', { name: 'Acme' })
    await workspace.api.post('/people', { name: 'Mia' })
    await open('/people')
    await gridOn(page).shows(['Mia'])
    const away = (url: URL) => /\/search|\/companies\/query/.test(url.pathname)
    await page.route(away, (route) => route.fulfill({ status: 500, json: { message: 'Something is broken.' } }))
    await page.keyboard.press('ControlOrMeta+k')
    await page.getByRole('combobox', { name: 'Search' }).fill('Acme')
    await page.getByRole('dialog').getByRole('alert').getByText('Something is broken.').waitFor()
    expect(await page.getByText('No records for').count()).toBe(0)
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await (await gridOn(page).cell('Mia', 'Company')).click()
    await page.locator('input:focus').waitFor()
    await page.keyboard.type('Acme')
    await page.getByRole('alert').getByText('Something is broken.').waitFor()
    expect(await page.getByText('Nothing found').count()).toBe(0)
    await page.unroute(away)
    await page.keyboard.type(' ')
    await page.keyboard.press('Backspace')
    await page.keyboard.press('Backspace')
    await page.getByRole('option', { name: 'Acme' }).waitFor()
  })

  it.runIf(isLong)('finds the way to a new record by its words', async () => {
    const { workspace, page, open } = await visit()
    await open('/notes')
    await page.getByRole('button', { name: 'Search' }).first().click()
    await page.getByRole('combobox', { name: 'Search' }).fill('new company')
    await page.getByRole('option', { name: 'New company' }).click()
    await page.getByRole('dialog', { name: 'New company' }).getByRole('textbox', { name: 'Name' }).fill('Acme')
    await page.getByRole('button', { name: 'Create' }).click()
    await eventually(async () => expect((await workspace.api.get('/companies')).body.meta.total).toBe(1))
  })
})
