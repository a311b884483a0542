import type { Locator, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { ownProcess } from '../../server/test/own-service.ts'
import { isLong } from '../../server/test/run-length.ts'
import { startService } from '../../server/test/setup/service.ts'
import { whenFileEnds } from '../../server/test/when-file-ends.ts'
import type { TestWorkspace } from '../../server/test/workspace.ts'
import { eventually } from './eventually.ts'
import { type Visit, visit, visitTo } from './visit.ts'

/** A note with a text, and what is stored of it. */
async function newNote({ api }: TestWorkspace) {
  const { body } = await api.post('/notes', { title: 'Call', custom_fields: { body: 'First' } })
  const path = `/notes/${body.data.id}`
  const stored = async () => (await api.get(path)).body.data.attributes.custom_fields.body
  return { path, stored }
}

/** Opens the editor of a note with all of its text selected. */
async function edit({ page, open }: Visit, path: string): Promise<void> {
  await open(path)
  await page.getByRole('button', { name: 'Edit Body' }).click()
  await editorOn(page).and(page.locator(':focus')).waitFor()
  await page.keyboard.press('ControlOrMeta+a')
}

/** Opens the editor of a note and replaces its text, without saving it. */
async function write(visited: Visit, path: string, text: string): Promise<void> {
  await edit(visited, path)
  await visited.page.keyboard.type(text)
}

const editorOn = (page: Page): Locator => page.getByRole('textbox', { name: 'Body', exact: true })
const barOn = (page: Page): Locator => page.getByRole('region', { name: 'Unsaved changes' })
/** Waits until the editor says whether its text is saved. */
const says = (page: Page, text: RegExp): Promise<void> =>
  page.getByRole('region', { name: 'Body' }).getByRole('status').filter({ hasText: text }).waitFor()
const SAVED = /^Saved$/

describe('a long text', () => {
  it('saves itself as one entry of the history, says so, and goes back to what it was when it is discarded', async () => {
    const visited = await visit()
    const { page, workspace } = visited
    const { path, stored } = await newNote(workspace)
    await write(visited, path, 'Mine')
    await says(page, SAVED)
    await eventually(async () => expect(await stored()).toBe('Mine'))
    await page.keyboard.type(' and more')
    // The second time it waits longer, unless the user turns to something else.
    await page.getByRole('link', { name: 'People' }).first().focus()
    await eventually(async () => expect(await stored()).toBe('Mine and more'))
    await says(page, SAVED)
    const { data } = (await workspace.api.get(`${path}/history?field=custom_fields.body`)).body
    const values = data.flatMap(({ attributes }: { attributes: { changes: { before: unknown; after: unknown }[] } }) =>
      attributes.changes.map(({ before, after }) => [before, after]),
    )
    expect(values).toContainEqual(['First', 'Mine and more'])
    expect(values.flat()).not.toContain('Mine')
    await page.getByRole('button', { name: 'Discard changes' }).click()
    await editorOn(page).waitFor({ state: 'detached' })
    await expect.poll(stored).toBe('First')
    await page.getByRole('button', { name: 'Undo', exact: true }).click()
    await eventually(async () => expect(await stored()).toBe('Mine and more'))
  })

  it.runIf(isLong)('saves itself soon, however long its editor was open before', async () => {
    // Its clock stays with the page.
    const visited = await visit({ ownPage: true })
    const { page, workspace } = visited
    const { path } = await newNote(workspace)
    await page.clock.install()
    await edit(visited, path)
    await page.clock.pauseAt(Date.now() + 60_000)
    await page.keyboard.type('Mine')
    const saved = page.waitForRequest((request) => request.method() === 'PATCH')
    // A second save would come after 12 seconds.
    await page.clock.runFor(3000)
    await saved
  })

  it('is not lost by Escape, a link or a reload', async () => {
    const visited = await visit()
    const { page, workspace } = visited
    const { path, stored } = await newNote(workspace)
    await write(visited, path, 'By Escape')
    await page.keyboard.press('Escape')
    await editorOn(page).waitFor({ state: 'detached' })
    await expect.poll(stored).toBe('By Escape')

    await write(visited, path, 'By a link')
    await page.getByRole('link', { name: 'People' }).first().click()
    await eventually(async () => expect(await stored()).toBe('By a link'))

    await write(visited, path, 'By a reload')
    await page.reload()
    await editorOn(page).getByText('By a reload').waitFor()
    await page.getByRole('button', { name: 'Save' }).click()
    await eventually(async () => expect(await stored()).toBe('By a reload'))
  })

  it.runIf(isLong)('stays in its editor while the service is killed, and is saved when it is back', async () => {
    const own = await ownProcess()
    const workspace = await own.workspace()
    const visited = await visitTo(workspace, { url: own.url })
    const { page } = visited
    const { path, stored } = await newNote(workspace)
    await write(visited, path, 'Mine')
    own.service.process.kill('SIGKILL')
    await page.keyboard.press('ControlOrMeta+Enter')
    await says(page, /^Not saved: The service could not be reached/)
    await editorOn(page).getByText('Mine').waitFor()
    await barOn(page).getByText('1 change is not saved').waitFor()
    await page.keyboard.type(', still typing')
    const again = await startService({ ...own.env, PORT: new URL(own.url).port })
    whenFileEnds(() => again.stop())
    await says(page, SAVED)
    expect(await stored()).toBe('Mine, still typing')
    await barOn(page).waitFor({ state: 'detached' })
  })

  it.runIf(isLong)(
    'is saved once if the answer is lost, and completely if it is typed on while the service is slow',
    async () => {
      const visited = await visit()
      const { page, workspace } = visited
      const { path, stored } = await newNote(workspace)
      const slow = Promise.withResolvers<void>()
      const sent: string[] = []
      await page.route('**/v1/notes/*', async (route) => {
        if (route.request().method() !== 'PATCH') return route.continue()
        sent.push(route.request().headers()['idempotency-key'] ?? '')
        if (sent.length === 1) {
          await route.fetch()
          return route.abort()
        }
        await slow.promise
        await route.continue()
      })
      await write(visited, path, 'Mine')
      await page.keyboard.press('ControlOrMeta+Enter')
      await expect.poll(() => sent.length).toBe(2)
      expect(sent[1]).toBe(sent[0])
      await page.keyboard.type(', all of it')
      await says(page, /^Not saved/)
      slow.resolve()
      await eventually(async () => expect(await stored()).toBe('Mine, all of it'))
      await says(page, SAVED)
      const { body } = await workspace.api.get(`${path}/history`)
      expect(body.data).toHaveLength(3)
    },
  )

  it.runIf(isLong)('survives the end of the session: the user signs in again and goes on', async () => {
    const visited = await visit()
    const { page, workspace, email, password } = visited
    const { path, stored } = await newNote(workspace)
    await write(visited, path, 'Mine')
    await page.context().clearCookies()
    await page.keyboard.press('ControlOrMeta+Enter')
    await says(page, /^Not saved: Your session has ended/)
    await page.keyboard.type(', still typing')
    await barOn(page).getByRole('button', { name: 'Sign in again' }).click()
    await page.getByLabel('Email').fill(email)
    await page.getByRole('textbox', { name: 'Password' }).fill(password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await editorOn(page).getByText('Mine, still typing').waitFor()
    await page.getByRole('button', { name: 'Save' }).click()
    await eventually(async () => expect(await stored()).toBe('Mine, still typing'))
  })

  it.runIf(isLong)('that two people edit is combined by the one who saves last', async () => {
    const ada = await visit()
    const grace = await visitTo(ada.workspace, { name: 'Grace Moss' })
    const { path, stored } = await newNote(ada.workspace)
    await edit(grace, path)
    await write(ada, path, 'Ada')
    await says(ada.page, SAVED)
    await grace.page.keyboard.type('Grace')
    const panel = grace.page.getByRole('alert', { name: 'Body was changed by someone else' })
    const yours = panel.getByRole('textbox', { name: 'Your Body' })
    await expect.poll(() => yours.inputValue()).toBe('Grace')
    await panel.getByText('Ada', { exact: true }).waitFor()
    expect(await stored()).toBe('Ada')
    await panel.getByRole('button', { name: 'Combine both' }).click()
    await expect.poll(() => yours.inputValue()).toBe('Grace\nAda')
    await grace.page.reload()
    await yours.fill('Grace and Ada')
    await panel.getByRole('button', { name: 'Keep yours' }).click()
    await eventually(async () => expect(await stored()).toBe('Grace and Ada'))
    await panel.waitFor({ state: 'detached' })
  })

  it.runIf(isLong)('in two tabs of one user is one text, and no text is lost if both are typed at once', async () => {
    const visited = await visit()
    const { page, workspace } = visited
    const { path, stored } = await newNote(workspace)
    await edit(visited, path)
    const second = await page.context().newPage()
    await second.addInitScript(() =>
      window.addEventListener('storage', (event) => {
        if (document.documentElement.classList.contains('deaf')) event.stopImmediatePropagation()
      }),
    )
    await edit({ ...visited, page: second, open: async () => void (await second.goto(page.url())) }, path)
    // A key at the very moment when the second tab takes over the text of the first one.
    await second.evaluate(() => {
      const type = ({ key }: StorageEvent) => {
        if (!key?.startsWith('kith.draft.')) return
        window.removeEventListener('storage', type)
        document.execCommand('insertText', false, 'n')
      }
      window.addEventListener('storage', type)
    })
    await page.keyboard.type('O')
    await editorOn(page).getByText('On', { exact: true }).waitFor()
    await page.keyboard.type('e')
    await editorOn(second).getByText('One').waitFor()
    await says(page, SAVED)
    // On top of what the first tab has saved: no conflict.
    await second.keyboard.press('ControlOrMeta+End')
    await second.keyboard.type(', two')
    await second.keyboard.press('ControlOrMeta+Enter')
    await eventually(async () => expect(await stored()).toBe('One, two'))
    await editorOn(page).getByText('One, two').waitFor()

    await page
      .context()
      .route('**/v1/notes/*', (route) => (route.request().method() === 'PATCH' ? route.abort() : route.continue()))
    await second.getByRole('button', { name: 'Edit Body' }).click()
    await editorOn(second).and(second.locator(':focus')).waitFor()
    // The second tab does not hear in time of what is typed in the first one.
    await second.evaluate(() => document.documentElement.classList.add('deaf'))
    await editorOn(page).and(page.locator(':focus')).waitFor()
    await page.keyboard.press('ControlOrMeta+End')
    await page.keyboard.type(' here')
    await second.keyboard.press('ControlOrMeta+End')
    await second.keyboard.type(' there')
    const panel = page.getByRole('alert', { name: 'Body was changed in another tab' })
    await expect.poll(() => panel.getByRole('textbox', { name: 'Your Body' }).inputValue()).toBe('One, two here')
    await panel.getByText('One, two there', { exact: true }).waitFor()
    await second.close()
    await page.context().unroute('**/v1/notes/*')
    await panel.getByRole('button', { name: 'Keep yours' }).click()
    await eventually(async () => expect(await stored()).toBe('One, two here'))
    await panel.waitFor({ state: 'detached' })
    await barOn(page).waitFor({ state: 'detached' })
  })

  it.runIf(isLong)('says when the browser has no room to keep it', async () => {
    const visited = await visit()
    const { page, workspace } = visited
    const { path, stored } = await newNote(workspace)
    await page.route('**/v1/notes/*', (route) =>
      route.request().method() === 'PATCH' ? route.abort() : route.continue(),
    )
    await write(visited, path, 'Mine')
    await page.evaluate(() => {
      Storage.prototype.setItem = () => {
        throw new DOMException('full', 'QuotaExceededError')
      }
    })
    await page.keyboard.type(' in memory')
    await says(page, /no room to keep it. Do not close this tab/)
    await page.unroute('**/v1/notes/*')
    await eventually(async () => expect(await stored()).toBe('Mine in memory'))
    await says(page, SAVED)
  })
})

describe('drafts of a user', () => {
  it.runIf(isLong)(
    'are removed when the user signs out, after a question, and never shown to another user',
    async () => {
      const visited = await visit()
      const { page, workspace } = visited
      const other = await visitTo(workspace, { name: 'Grace Moss' })
      const { path } = await newNote(workspace)
      await page.route('**/v1/notes/*', (route) =>
        route.request().method() === 'PATCH' ? route.abort() : route.continue(),
      )
      await write(visited, path, 'Private')
      await says(page, /^Not saved/)
      const kept = () => page.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith('kith.draft.')))
      await expect.poll(kept).toHaveLength(1)

      const cookies = await page.context().cookies()
      await page.context().addCookies(await other.page.context().cookies())
      await page.reload()
      await page.getByText('First', { exact: true }).waitFor()
      expect(await page.getByText('Private').count()).toBe(0)
      expect(await barOn(page).count()).toBe(0)

      await page.context().addCookies(cookies)
      await page.reload()
      await editorOn(page).getByText('Private').waitFor()
      await page.getByRole('button', { name: 'Ada Lindqvist' }).click()
      await page.getByRole('menuitem', { name: 'Sign out' }).click()
      await page.getByRole('alertdialog').getByText('One change is not saved').waitFor()
      await expect.poll(kept).toHaveLength(1)
      await page.getByRole('button', { name: 'Discard and sign out' }).click()
      await page.getByRole('heading', { name: 'Sign in to Kith' }).waitFor()
      await expect.poll(kept).toEqual([])
    },
  )
})
