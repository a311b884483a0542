import { expect, it } from 'vitest'
import { visit } from './visit.ts'

/** A note on the screen, whose editor is not loaded yet. */
async function openNote() {
  const visited = await visit()
  const { workspace, page, open } = visited
  const { body } = await workspace.api.post('/notes', { title: 'Call', custom_fields: { body: 'First' } })
  await open(`/notes/${body.data.id}`)
  return {
    ...visited,
    edit: page.getByRole('button', { name: 'Edit Body' }),
    editor: page.getByLabel('Body').locator('[contenteditable]'),
  }
}

it('a part of the application that is needed while the service is away comes when it is back', async () => {
  const { page, edit, editor } = await openNote()
  await edit.waitFor()
  await page.route(/\/assets\/|\/healthz/, (route) => route.abort())
  const refused = page.waitForEvent('requestfailed', (request) => request.url().includes('/healthz'))
  await edit.click()
  await refused
  await page.getByText('The service could not be reached. What you opened appears when it is back.').first().waitFor()
  expect(await page.getByRole('alert').count()).toBe(0)
  await page.unrouteAll()
  await editor.waitFor()
})

it('a page from before an upgrade, whose parts are gone, is loaded again', async () => {
  const { page, edit, editor } = await openNote()
  await edit.waitFor()
  await page.route(/\/assets\/markdown-editor/, (route) => route.fulfill({ status: 404 }))
  const reloaded = page.waitForEvent('load')
  await edit.click()
  await reloaded
  await page.unrouteAll()
  await edit.click()
  await editor.waitFor()
})
