import type { Locator } from 'playwright-core'
import { expect, it } from 'vitest'
import { isLong } from '../../server/test/run-length.ts'
import { expectFitting, narrow, wide } from './accessibility.ts'
import { eventually } from './eventually.ts'
import { type Visit, visit, visitTo } from './visit.ts'

/** What a colleague writes is on the screen after this long. */
const LIVE_MS = 2000

/** Ada and Ben have the page of one company open. */
async function two(): Promise<{ ada: Visit; ben: Visit; path: string; id: string }> {
  const ada = await visit()
  const ben = await visitTo(ada.workspace, { name: 'Ben Otte', role: 'member' })
  const id = (await ada.workspace.api.post('/companies', { name: 'Acme' })).body.data.id
  const path = `/companies/${id}`
  await ben.open(path)
  await ben.page.getByRole('button', { name: 'Comment', exact: true }).waitFor()
  await ada.open(path)
  await ada.page.getByRole('button', { name: 'Comment', exact: true }).click()
  return { ada, ben, path, id }
}

/** How long it took until something was there. */
async function waitedFor(found: Locator): Promise<number> {
  const begun = performance.now()
  await found.waitFor()
  return performance.now() - begun
}

it('members talk about a record, live, with mentions and replies, and nothing typed is lost', async () => {
  const { ada, ben, id } = await two()
  const { page } = ada
  const text = page.getByRole('textbox', { name: 'Text of the new comment' })
  await text.fill('Who calls, ')
  await text.pressSequentially('@ot')
  await page.getByRole('option', { name: /^Ben Otte/ }).waitFor()
  await text.press('Enter')
  await text.pressSequentially('about the **renewal**?')
  await page.getByText('Mentions Ben Otte').waitFor()
  await page.reload()
  expect(await text.inputValue()).toBe('Who calls, @Ben Otte about the **renewal**?')
  await text.press('ControlOrMeta+Enter')
  const seen = ben.page.getByRole('listitem', { name: 'Ada Lindqvist, commented' })
  const waited = await waitedFor(seen)
  await page.getByRole('listitem', { name: 'Ada Lindqvist, commented' }).waitFor()
  expect(waited).toBeLessThan(LIVE_MS)
  await seen.getByText('@Ben Otte').waitFor()
  expect(await seen.getByRole('strong').textContent()).toBe('renewal')
  const { data } = (await ada.workspace.api.get(`/companies/${id}/comments`)).body
  expect(data[0].attributes.mentions).toMatchObject([{ name: 'Ben Otte' }])
  await ben.page.getByRole('button', { name: 'Reply to Ada Lindqvist' }).click()
  const reply = ben.page.getByRole('textbox', { name: 'Text of the reply to Ada Lindqvist' })
  await reply.fill('I do.')
  await reply.press('ControlOrMeta+Enter')
  await page.getByRole('listitem', { name: 'Ben Otte, replied' }).getByText('I do.').waitFor()
  await expectFitting(page, [...wide, ...narrow], 'A thread')
  // An outage: it waits in the browser and is sent as soon as the service is there.
  await ben.page.route('**/v1/companies/*/comments', (route) => route.abort())
  await ben.page.getByRole('button', { name: 'Reply to Ada Lindqvist' }).click()
  await reply.fill('Tomorrow.')
  await ben.page.getByRole('button', { name: 'Reply', exact: true }).click()
  await ben.page
    .getByText(/^Not saved: /)
    .first()
    .waitFor()
  expect(await reply.inputValue()).toBe('Tomorrow.')
  await ben.page.unrouteAll()
  await page.getByRole('listitem', { name: 'Ben Otte, replied' }).getByText('Tomorrow.').waitFor()
})

it.runIf(isLong)('an author edits a comment and deletes it with a way back, and a link leads to it', async () => {
  const { ada, ben, path } = await two()
  const { page } = ada
  const text = page.getByRole('textbox', { name: 'Text of the new comment' })
  await text.fill('First')
  await text.press('ControlOrMeta+Enter')
  const own = page.getByRole('listitem', { name: 'Ada Lindqvist, commented' })
  await own.getByRole('button', { name: 'More about the comment of Ada Lindqvist' }).click()
  await page.getByRole('menuitem', { name: 'Edit' }).click()
  const edited = own.getByRole('textbox', { name: 'Text of the comment' })
  await edited.fill('Second')
  // What is typed stays.
  await page.reload()
  await own.getByRole('button', { name: 'Save' }).click()
  await own.getByText('Second').waitFor()
  await edited.waitFor({ state: 'detached' })
  const theirs = ben.page.getByRole('listitem', { name: 'Ada Lindqvist, commented' })
  await theirs.getByText('Second').waitFor()
  await theirs.getByRole('button', { name: 'More about the comment of Ada Lindqvist' }).click()
  await ben.page.getByRole('menuitem', { name: 'Copy link' }).waitFor()
  expect(await ben.page.getByRole('menuitem').allTextContents()).toEqual(['Copy link'])
  await ben.page.keyboard.press('Escape')
  await own.getByRole('button', { name: 'More about the comment of Ada Lindqvist' }).click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  await theirs.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Undo', exact: true }).click()
  await theirs.getByText('Second').waitFor()
  const { data } = (await ada.workspace.api.get(`${path}/comments`)).body
  await ada.workspace.api.patch(path, { name: 'Acme Inc' })
  await ben.open(`${path}?comment=${data[0].id}`)
  const linked = ben.page.getByRole('region', { name: 'Linked comment' })
  await linked.getByText('Second').waitFor()
  expect(await ben.page.getByText('Second').count()).toBe(1)
  await linked.getByRole('button', { name: 'Close the linked comment' }).click()
  await linked.waitFor({ state: 'detached' })
  await ben.page.getByText('Second').waitFor()
})

it.runIf(isLong)('tasks and own resources have comments too, and viewers read them', async () => {
  const ada = await visit()
  const vera = await visitTo(ada.workspace, { name: 'Vera Moss', role: 'viewer' })
  const id = (await ada.workspace.api.post('/tasks', { title: 'Call' })).body.data.id
  await ada.open(`/tasks/${id}`)
  const text = ada.page.getByRole('textbox', { name: 'Text of the new comment' })
  await text.fill('Later?')
  await text.press('ControlOrMeta+Enter')
  await vera.open(`/tasks/${id}`)
  await vera.page.getByRole('listitem', { name: 'Ada Lindqvist, commented' }).getByText('Later?').waitFor()
  expect(await vera.page.getByRole('textbox', { name: /comment/ }).count()).toBe(0)
  await eventually(async () => expect(await vera.page.getByRole('button', { name: /^Reply/ }).count()).toBe(0))
})
