import { expect, it } from 'vitest'
import { isLong } from '../../server/test/run-length.ts'
import { expectFitting, narrow, wide } from './accessibility.ts'
import { eventually } from './eventually.ts'
import { visit } from './visit.ts'

it('the activity of a record shows notes, tasks and changes by day, by kind, and takes new ones in place', async () => {
  const { workspace, page, open } = await visit()
  const { api } = workspace
  const id = (await api.post('/companies', { name: 'Acme' })).body.data.id
  await api.patch(`/companies/${id}`, { name: 'Acme Inc' })
  await open(`/companies/${id}`)
  const today = page.getByRole('region', { name: 'Today' })
  await today.getByText('changed it').waitFor()
  await page.getByRole('textbox', { name: 'Text of the note' }).fill('They **agree**.\n\nNext week.')
  // Nothing that is typed is lost.
  await page.reload()
  await page.getByRole('button', { name: 'Add note' }).click()
  await today.getByRole('link', { name: 'They **agree**.' }).waitFor()
  await today.getByText('Next week.').waitFor()
  await page.getByRole('button', { name: 'Task', exact: true }).click()
  await page.getByRole('textbox', { name: 'Title of the task' }).fill('Send the contract')
  await page.getByLabel('Due').fill('2026-01-02T10:00')
  await page.getByRole('combobox', { name: 'Assignee' }).click()
  await page.getByRole('option', { name: 'Ada Lindqvist' }).click()
  await page.getByRole('textbox', { name: 'Title of the task' }).press('Enter')
  const task = today.getByRole('listitem').filter({ hasText: 'Send the contract' })
  await task.getByText('Overdue').waitFor({ state: 'attached' })
  await task.getByText('Ada Lindqvist').first().waitFor()
  await expectFitting(page, [...wide, ...narrow], 'The activity')
  const kinds = page.getByRole('group', { name: 'Show' })
  await kinds.getByRole('button', { name: 'Changes' }).click()
  await today.getByText('changed it').waitFor()
  await task.waitFor({ state: 'detached' })
  await kinds.getByRole('button', { name: 'Tasks' }).click()
  const check = task.getByRole('checkbox', { name: 'Complete Send the contract' })
  const statusOf = async () => {
    const { body } = await api.post('/tasks/query', { filter: { companies: { $in: [id] } } })
    return body.data[0].attributes.custom_fields.status?.label
  }
  await check.click()
  await page.getByText('Completed Send the contract').first().waitFor()
  await eventually(async () => expect(await statusOf()).toBe('Done'))
  await page.getByRole('button', { name: 'Undo', exact: true }).click()
  await eventually(async () => expect(await statusOf()).toBeUndefined())
  await task.getByRole('button', { name: /^Undo that Ada Lindqvist added Send the contract at / }).click()
  await task.waitFor({ state: 'detached' })
  await page.getByText('Deleted Send the contract').first().waitFor()
})

it('every entry of the history can be undone in its place, and the undo as well', async () => {
  const { workspace, page, open } = await visit()
  const { api } = workspace
  const [acme, other] = [
    await api.post('/companies', { name: 'Acme' }),
    await api.post('/companies', { name: 'Other' }),
  ]
  const { id } = acme.body.data
  await api.patch(`/companies/${id}`, { name: 'Acme Inc' })
  await api.put(`/companies/${id}/merge`, { loser_ids: [other.body.data.id] })
  const nameNow = async () => (await api.get(`/companies/${id}`)).body.data?.attributes.name
  await open(`/companies/${id}`)
  const today = page.getByRole('region', { name: 'Today' })
  const changed = today.getByRole('listitem').filter({ hasText: 'changed it' })
  await changed.getByRole('button', { name: /^Undo that .+ changed it at / }).click()
  await changed.getByText('Undone').waitFor()
  await eventually(async () => expect(await nameNow()).toBe('Acme'))
  const undoing = today.getByRole('listitem').filter({ hasText: 'undid a change' })
  await expectFitting(page, [...wide, ...narrow], 'The history with an undo')
  await undoing.getByRole('button', { name: /^Undo that / }).click()
  await eventually(async () => expect(await nameNow()).toBe('Acme Inc'))
  const merged = today.getByRole('listitem').filter({ hasText: 'merged other records into it' })
  await merged.getByRole('button', { name: /^Undo that / }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Undo merge' }).click()
  await eventually(async () => expect((await api.get(`/companies/${other.body.data.id}`)).status).toBe(200))
  const created = today.getByRole('listitem').filter({ hasText: 'created it' })
  // The last one: the other company has just become one of its own.
  await created
    .last()
    .getByRole('button', { name: /^Undo that / })
    .click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()
  await eventually(async () => expect(await nameNow()).toBeUndefined())
})

it.runIf(isLong)('the history of a record shows an overwritten long text in full, to copy it', async () => {
  const { workspace, page, open } = await visit()
  const { api } = workspace
  const text = Array.from({ length: 200 }, (_, line) => `Line ${line} of the minutes.`).join('\n')
  const { id } = (await api.post('/notes', { title: 'Minutes', custom_fields: { body: text } })).body.data
  await api.patch(`/notes/${id}`, { custom_fields: { body: 'Oops' } })
  await open(`/notes/${id}`)
  await page.getByRole('button', { name: 'Show all' }).click()
  const dialog = page.getByRole('dialog', { name: 'Body' })
  await dialog.getByRole('region', { name: 'Before' }).getByText('Line 199 of the minutes.').waitFor()
  await expectFitting(page, [...wide, ...narrow], 'The whole text')
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await dialog.getByRole('button', { name: 'Copy before' }).click()
  await eventually(async () => expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(text))
})

it('a record says what comes next, the last contact, what is open and who is involved', async () => {
  const { workspace, page, open } = await visit()
  const { api } = workspace
  const company_id = (await api.post('/companies', { name: 'Acme' })).body.data.id
  const grace = { name: 'Grace Hopper', company_id, custom_fields: { job_title: 'Admiral' } }
  const contact_id = (await api.post('/people', grace)).body.data.id
  const opportunity = { company_id, contact_id, custom_fields: { stage: 'Proposal', amount: 100.5 } }
  const { id } = (await api.post('/opportunities', { name: 'Renewal', ...opportunity })).body.data
  await api.post('/opportunities', { ...opportunity, name: 'Other' })
  const lost = { name: 'Lost', company_id, custom_fields: { stage: 'Closed Lost', amount: 7 } }
  await api.post('/opportunities', lost)
  const due = (day: number) => ({ status: 'To do', due_date: `2031-01-0${day}T10:00:00.000Z` })
  await api.post('/tasks', { title: 'Later', company_ids: [company_id], custom_fields: due(2) })
  await api.post('/tasks', { title: 'Call', company_ids: [company_id], custom_fields: due(1) })
  await api.post('/notes', { title: 'Met them', company_ids: [company_id] })

  await open(`/companies/${company_id}`)
  const facts = page.getByRole('region', { name: 'Key facts' })
  await facts.getByText('US$201.00').or(facts.getByText('$201.00')).first().waitFor()
  await facts.getByText('2 opportunities').waitFor()
  await facts.getByRole('link', { name: 'Met them' }).waitFor()
  await facts.getByRole('link', { name: 'Call' }).waitFor()
  await facts.getByRole('checkbox', { name: 'Complete Call' }).check()
  // The next task takes its place, and completing it was the last contact.
  await facts.getByRole('link', { name: 'Later' }).waitFor()
  await facts.getByRole('link', { name: 'Call' }).waitFor()

  await page.getByRole('tab', { name: 'Overview' }).click()
  const deals = page.getByRole('region', { name: 'Open opportunities' })
  await deals.getByRole('link', { name: 'Renewal' }).waitFor()
  expect(await deals.getByRole('link').count()).toBe(2)
  await page.getByRole('region', { name: 'Open tasks' }).getByRole('link', { name: 'Later' }).waitFor()
  const involved = page.getByRole('region', { name: 'Involved' }).getByRole('listitem')
  await involved.filter({ hasText: 'Grace Hopper' }).getByText('Admiral').waitFor()
  await expectFitting(page, [...wide, ...narrow], 'The overview')

  await open(`/opportunities/${id}`)
  await page.getByRole('tab', { name: 'Overview' }).click()
  await involved.filter({ hasText: 'Grace Hopper' }).getByText('Contact, Admiral').waitFor()
})

it.runIf(isLong)('a task is completed in a list, with a way back', async () => {
  const { workspace, page, open } = await visit()
  const { api } = workspace
  const due_date = '2026-01-02T10:00:00.000Z'
  const id = (await api.post('/tasks', { title: 'Call', custom_fields: { status: 'In progress', due_date } })).body.data
    .id
  const status = async () => (await api.get(`/tasks/${id}`)).body.data.attributes.custom_fields.status.label
  await open('/tasks')
  const row = page.getByRole('row').filter({ hasText: 'Call' })
  await row.getByText('Overdue').waitFor({ state: 'attached' })
  await row.getByRole('checkbox', { name: 'Complete Call' }).click()
  await row.getByText('Overdue').waitFor({ state: 'detached' })
  await page.getByText('Completed Call').first().waitFor()
  await eventually(async () => expect(await status()).toBe('Done'))
  await page.getByRole('button', { name: 'Undo', exact: true }).click()
  await eventually(async () => expect(await status()).toBe('In progress'))
  await row.getByText('Overdue').waitFor({ state: 'attached' })
})
