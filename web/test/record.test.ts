import { describe, expect, it } from 'vitest'
import { isLong } from '../../server/test/run-length.ts'
import { eventually } from './eventually.ts'
import { visit } from './visit.ts'

describe('the page of a record', () => {
  it('changes a value in place, and a list of records, which keeps what is in the trash', async () => {
    const { workspace, page, open } = await visit()
    const { api } = workspace
    await workspace.field('people', { name: 'Firms', type: 'record', target: 'companies', multiple: true })
    const [acme, borg, gone] = await Promise.all(
      ['Acme', 'Borg', 'Gone'].map(async (name) => (await api.post('/companies', { name })).body.data.id),
    )
    const { id } = (await api.post('/people', { name: 'Ada Byron', custom_fields: { firms: [gone, acme] } })).body.data
    await api.delete(`/companies/${gone}`)
    const stored = async () => (await api.get(`/people/${id}`)).body.data.attributes
    await open(`/people/${id}`)
    await page.waitForFunction(() => document.title === 'Ada Byron · Kith')
    const missing = page.getByRole('button', { name: 'Edit Job title' }).locator('+ div')
    await expect.poll(() => missing.evaluate((value) => getComputedStyle(value, '::before').content)).toBe('"Empty"')
    await page.getByRole('button', { name: 'Edit Job title' }).click()
    await page.keyboard.type('Analyst')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Edit Name' }).press('Enter')
    await page.keyboard.press('ControlOrMeta+a')
    await page.keyboard.type('Ada Lovelace')
    await page.keyboard.press('Enter')
    await eventually(async () => {
      const { name, custom_fields } = await stored()
      expect([name, custom_fields.job_title]).toEqual(['Ada Lovelace', 'Analyst'])
    })
    await page.getByRole('tab', { name: 'Activity' }).click()
    await page.getByText('Ada Lovelace', { exact: true }).last().waitFor()

    const firms = async () => (await stored()).custom_fields.firms.map((one: { id: string }) => one.id)
    await page.getByRole('button', { name: 'Edit Firms' }).click()
    await page.getByRole('option', { name: 'Borg' }).click()
    await page.getByRole('option', { name: 'Acme' }).click()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Edit Firms' }).click()
    await page.getByRole('option', { name: 'Borg' }).click()
    await page.getByRole('option', { name: 'Acme' }).click()
    await page.getByRole('button', { name: 'Save' }).click()
    await eventually(async () => expect(await firms()).toEqual([borg]))
    await api.put(`/companies/${gone}/restore`)
    expect(await firms()).toEqual([gone, borg])
  })

  it.runIf(isLong)('keeps a refused value in its editor and says why', async () => {
    const { workspace, page, open } = await visit()
    await workspace.api.post('/companies', { name: 'First', custom_fields: { domains: ['taken.example'] } })
    const { body } = await workspace.api.post('/companies', { name: 'Second' })
    await open(`/companies/${body.data.id}`)
    await page.getByRole('button', { name: 'Edit Domains' }).click()
    await page.keyboard.type('taken.example')
    await page.keyboard.press('Enter')
    await page.getByRole('alert').filter({ hasText: 'taken' }).waitFor()
    await expect.poll(() => page.getByRole('textbox', { name: 'Domains 1' }).inputValue()).toBe('taken.example')
    expect((await workspace.api.get(`/companies/${body.data.id}`)).body.data.attributes.custom_fields.domains).toEqual(
      [],
    )
  })

  it.runIf(isLong)('adds people to a company by name, and parts them again', async () => {
    const { workspace, page, open } = await visit()
    const { body } = await workspace.api.post('/companies', { name: 'Acme' })
    await open(`/companies/${body.data.id}`)
    await page.getByRole('tab', { name: 'People' }).click()
    await page.getByRole('textbox', { name: 'New person' }).fill('Grace Hopper')
    await page.keyboard.press('Enter')
    await page.getByRole('link', { name: 'Grace Hopper' }).waitFor()
    const staff = async () =>
      (await workspace.api.post('/people/query', { filter: { company: { $in: [body.data.id] } } })).body.meta.total
    await expect.poll(staff).toBe(1)
    await page.getByRole('link', { name: 'Grace Hopper' }).hover()
    await page.getByRole('button', { name: 'Unlink Grace Hopper' }).click()
    await eventually(async () => expect(await staff()).toBe(0))
    await page.getByRole('button', { name: 'Undo', exact: true }).click()
    await eventually(async () => expect(await staff()).toBe(1))
  })

  it('links and parts one record of a task, and leaves what is in the trash', async () => {
    const { workspace, page, open } = await visit()
    const { api } = workspace
    const [acme, borg, gone] = await Promise.all(
      ['Acme', 'Borg', 'Gone'].map(async (name) => (await api.post('/companies', { name })).body.data.id),
    )
    const { id } = (await api.post('/tasks', { title: 'Call', company_ids: [acme, gone] })).body.data
    await api.delete(`/companies/${gone}`)
    const linked = async () => (await api.get(`/tasks/${id}?include=companies`)).body.data.relationships.companies.data
    const ids = async () => (await linked()).map((one: { id: string }) => one.id).toSorted()
    await open(`/companies/${borg}`)
    await page.getByRole('tab', { name: 'Tasks' }).click()
    await page.getByRole('button', { name: 'Link an existing task' }).click()
    await page.getByRole('combobox', { name: 'Choose an existing task' }).fill('Call')
    await page.getByRole('option', { name: 'Call' }).click()
    await eventually(async () => expect(await ids()).toEqual([acme, borg].toSorted()))
    await page.getByRole('button', { name: 'Unlink Call' }).press('Enter')
    await eventually(async () => expect(await ids()).toEqual([acme]))
    await page.getByRole('listitem').filter({ hasText: 'Unlinked Call' }).getByRole('button', { name: 'Undo' }).click()
    await eventually(async () => expect(await ids()).toEqual([acme, borg].toSorted()))
    await api.put(`/companies/${gone}/restore`)
    expect(await ids()).toEqual([acme, borg, gone].toSorted())
  })

  it('shows a text of others as text, and writes Markdown and links with a real editor', async () => {
    const { workspace, page, open } = await visit()
    const { api } = workspace
    const evil =
      '<img src=x onerror="document.title=\'owned\'"> <script>document.title="owned"</script> [here](javascript:alert(1))'
    const { id } = (await api.post('/notes', { title: 'Call', custom_fields: { body: evil } })).body.data
    const stored = async () => (await api.get(`/notes/${id}`)).body.data.attributes.custom_fields.body
    const laidOut = page.getByRole('region', { name: 'Body' })
    const text = page.getByRole('textbox', { name: 'Body' })
    const edit = async () => {
      await page.getByRole('button', { name: 'Edit Body' }).click()
      // The editor takes the keyboard a frame after it is seen.
      await text.and(page.locator(':focus')).waitFor()
    }
    // No script runs and no link leads to one.
    await open(`/notes/${id}`)
    await page.getByText('here', { exact: false }).first().waitFor()
    expect(await page.title()).not.toBe('owned')
    expect(await page.locator('a[href^="javascript"]').count()).toBe(0)
    expect(await page.locator('section[aria-label="Body"] script, section[aria-label="Body"] img').count()).toBe(0)
    // What was not changed stays as it was written, though the editor was opened on it.
    await page.getByRole('button', { name: 'Edit Body' }).press('Enter')
    await text.waitFor()
    await page.getByRole('button', { name: 'Save' }).click()
    expect(await stored()).toBe(evil)

    await api.patch(`/notes/${id}`, { custom_fields: { body: null } })
    await laidOut.getByText('Write something').waitFor()
    await edit()
    await page.keyboard.type('# Plan\n- one\ntwo')
    await page.keyboard.press('ControlOrMeta+Enter')
    await page.getByRole('listitem').filter({ hasText: 'two' }).first().waitFor()
    await expect.poll(stored).toBe('# Plan\n\n- one\n- two')

    // Links, by a pasted address, a key and a button.
    await api.patch(`/notes/${id}`, { custom_fields: { body: 'red blue' } })
    await laidOut.getByText('red blue').waitFor()
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await edit()
    await page.keyboard.press('ControlOrMeta+Shift+ArrowLeft')
    await page.evaluate(() => navigator.clipboard.writeText('https://example.com/blue'))
    await page.keyboard.press('ControlOrMeta+v')
    await text.getByRole('link', { name: 'blue' }).waitFor()
    await page.keyboard.press('Home')
    for (const _ of 'red') await page.keyboard.press('Shift+ArrowRight')
    await expect.poll(() => page.evaluate(() => getSelection()?.toString())).toBe('red')
    await page.keyboard.press('ControlOrMeta+k')
    const address = page.getByRole('textbox', { name: 'Address of the link' })
    await address.fill('javascript:alert(1)')
    await page.keyboard.press('Enter')
    await page.getByRole('alert').filter({ hasText: 'This is no address' }).waitFor()
    await address.fill('example.com/red')
    await page.keyboard.press('Enter')
    await text.getByRole('link', { name: 'red' }).waitFor()
    // Escape closes the line of the address and nothing else.
    await page.getByRole('button', { name: 'Link', exact: true }).click()
    await page.keyboard.press('Escape')
    await address.waitFor({ state: 'detached' })
    await page.keyboard.press('ControlOrMeta+Enter')
    await expect.poll(stored).toBe('[red](https://example.com/red) [blue](https://example.com/blue)')
  })

  it.runIf(isLong)('keeps what is ticked and struck through, in the editor and laid out', async () => {
    const { workspace, page, open } = await visit()
    const written = '- [x] Read **all**\n- [ ] Ask\n\n~~Never~~ mind'
    const { body } = await workspace.api.post('/notes', { title: 'List', custom_fields: { body: written } })
    await open(`/notes/${body.data.id}`)
    expect(await page.getByRole('checkbox', { name: 'Done', exact: true }).isChecked()).toBe(true)
    expect(await page.getByRole('checkbox', { name: 'Not done' }).isChecked()).toBe(false)
    await page.getByRole('deletion').getByText('Never').waitFor()
    await page.getByRole('button', { name: 'Edit Body' }).press('Enter')
    await page.getByRole('textbox', { name: 'Body' }).getByRole('checkbox').nth(1).check()
    await page.getByRole('textbox', { name: 'Body' }).press('ControlOrMeta+Enter')
    await eventually(async () => {
      const { custom_fields } = (await workspace.api.get(`/notes/${body.data.id}`)).body.data.attributes
      expect(custom_fields.body).toBe(written.replace('[ ]', '[x]'))
    })
  })

  it.runIf(isLong)('edits a text with a table as it is written, so that nothing of it is lost', async () => {
    const { workspace, page, open } = await visit()
    const written = '| a | b |\n|---|---|\n| 1 | 2 |'
    const { body } = await workspace.api.post('/notes', { title: 'Table', custom_fields: { body: written } })
    await open(`/notes/${body.data.id}`)
    await page.getByRole('button', { name: 'Edit Body' }).press('Enter')
    await page.getByRole('textbox', { name: 'Body' }).fill(`${written}\n| 3 | 4 |`)
    await page.keyboard.press('ControlOrMeta+Enter')
    await eventually(async () => {
      const { custom_fields } = (await workspace.api.get(`/notes/${body.data.id}`)).body.data.attributes
      expect(custom_fields.body).toBe(`${written}\n| 3 | 4 |`)
    })
  })

  it.runIf(isLong)('shows long texts as a whole, and on narrow screens the activity before the details', async () => {
    const { workspace, page, open } = await visit({ width: 400 })
    await workspace.field('people', { name: 'About', type: 'textarea' })
    const about = Array.from({ length: 30 }, (_, line) => `Line ${line + 1}`).join('\n')
    const name = 'Long '.repeat(50).trim()
    const custom_fields = { about, emails: ['ada@example.com'] }
    const { body } = await workspace.api.post('/people', { name, custom_fields })
    await open(`/people/${body.data.id}`)
    await page.getByRole('tab', { name: 'Activity', selected: true }).waitFor()
    await page.getByRole('tab', { name: 'Overview' }).click()
    await page.getByText('Line 12').waitFor()
    await page.getByRole('link', { name: 'ada@example.com' }).waitFor()
    const height = async () => (await page.getByText('Line 12').boundingBox())?.height ?? 0
    const cut = await height()
    await page.getByRole('button', { name: 'Show more' }).click()
    await expect.poll(height).toBeCloseTo((cut / 12) * 30, -1)
    // A long name is cut, and nothing else is.
    const list = page.getByRole('main').locator('header').getByRole('link')
    expect(await list.evaluate((shown) => shown.scrollWidth - shown.clientWidth)).toBeLessThanOrEqual(0)
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(400)
  })

  it.runIf(isLong)('says when someone else deletes or merges it, and keeps what is typed', async () => {
    const { workspace, page, open } = await visit()
    const { api } = workspace
    const [winner, loser] = await Promise.all(['Alder', 'Alder Ltd'].map((name) => api.post('/companies', { name })))
    const idOf = (made: typeof winner) => made?.body.data.id
    await open(`/companies/${idOf(loser)}`)
    await page.getByRole('button', { name: 'Edit Name' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('Alder and more')
    await api.delete(`/companies/${idOf(loser)}`)
    await page.getByRole('alert').getByText('This company was deleted meanwhile').waitFor()
    expect(await page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('Alder and more')
    await page.keyboard.press('Escape')
    await api.put(`/companies/${idOf(loser)}/restore`)
    await page.getByRole('alert').waitFor({ state: 'detached' })
    await api.put(`/companies/${idOf(winner)}/merge`, { loser_ids: [idOf(loser)] })
    await page.getByRole('alert').getByText('This company was merged into another one meanwhile').waitFor()
    await page.getByRole('link', { name: 'Open that company' }).click()
    await page
      .getByRole('heading', { name: 'Alder', exact: true })
      .or(page.getByText('Alder', { exact: true }))
      .first()
      .waitFor()
    await page.getByRole('alert').waitFor({ state: 'detached' })
  })

  it.runIf(isLong)('has its name as the heading, which is read first', async () => {
    const { workspace, page, open } = await visit()
    await workspace.api.post('/companies', { name: 'Acme' })
    await open('/companies')
    const focused = () => page.evaluate(() => document.activeElement?.getAttribute('aria-label'))
    const heading = page.getByRole('heading', { level: 1, name: 'Acme', exact: true })
    await page.getByRole('link', { name: 'Acme' }).press('Enter')
    await heading.waitFor()
    await expect.poll(focused).toBe('Acme')
    expect(await page.getByRole('heading', { level: 1 }).count()).toBe(1)
    await page.getByRole('link', { name: 'Home' }).click()
    await page.keyboard.press('ControlOrMeta+k')
    await page.getByRole('option', { name: 'Acme' }).first().waitFor()
    await page.keyboard.press('Enter')
    await heading.waitFor()
    await expect.poll(focused).toBe('Acme')
  })

  it('is duplicated in place, and deleted as soon as the service answers, with a way back from both', async () => {
    const { workspace, page, open } = await visit()
    const { api } = workspace
    const custom_fields = { domains: ['acme.example'], linkedin: ['https://linkedin.com/company/acme'] }
    const { id } = (await api.post('/companies', { name: 'Acme', custom_fields })).body.data
    await open(`/companies/${id}`)
    const choose = async (item: string) => {
      await page.getByRole('button', { name: 'More about this company' }).click()
      await page.getByRole('menuitem', { name: item }).click()
    }
    await choose('Duplicate company')
    await page.getByRole('heading', { level: 1, name: 'Acme (copy)' }).waitFor()
    const copies = async () => (await api.get('/companies?filter[name][$eq]=Acme (copy)')).body.data
    const [copy] = await copies()
    // Without what is unique.
    expect(copy.attributes.custom_fields).toMatchObject({ ...custom_fields, domains: [] })
    await page.keyboard.press('ControlOrMeta+z')
    await eventually(async () => expect(await copies()).toEqual([]))
    await page.getByRole('heading', { name: 'Companies', exact: true }).waitFor()

    await page.getByRole('grid').getByRole('link', { name: 'Acme', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: 'Acme', exact: true }).waitFor()
    let isAway = true
    await page.route('**/v1/companies/*', (route) =>
      isAway && route.request().method() === 'DELETE' ? route.abort() : route.continue(),
    )
    await choose('Delete company')
    await page.getByText('This company is not deleted yet: The service could not be reached.').waitFor()
    await page.getByRole('button', { name: 'Keep the company' }).click()
    await page.getByText('This company is not deleted yet').waitFor({ state: 'detached' })
    await choose('Delete company')
    await page.reload()
    await page.getByText('This company is not deleted yet').waitFor()
    await page.getByRole('heading', { level: 1, name: 'Acme' }).waitFor()
    isAway = false
    await page.getByRole('button', { name: 'Undo', exact: true }).waitFor()
    await page.getByRole('heading', { name: 'No companies yet' }).waitFor()
    const status = async () => (await api.get(`/companies/${id}`)).status
    await expect.poll(status).toBe(404)
    await page.keyboard.press('ControlOrMeta+z')
    await page.getByText('Undone: Deleted Acme').first().waitFor()
    await expect.poll(status).toBe(200)
  })
})
