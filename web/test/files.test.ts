import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { newFile } from '../../server/test/both/files/files.ts'
import { isLong } from '../../server/test/run-length.ts'
import { eventually } from './eventually.ts'
import { visit } from './visit.ts'

type Dropped = { name: string; type: string; text: string }

/** Drops files on a part of the page, as a file manager does. */
async function drop(page: Page, selector: string, files: readonly Dropped[]): Promise<void> {
  const transfer = await page.evaluateHandle((sent) => {
    const data = new DataTransfer()
    for (const { name, type, text } of sent) data.items.add(new File([text], name, { type }))
    return data
  }, files)
  for (const type of ['dragenter', 'dragover', 'drop']) {
    await page.dispatchEvent(selector, type, { dataTransfer: transfer })
  }
}

const offer = { name: 'offer.txt', type: 'text/plain', text: 'The offer' }
/** A part of the page. */
const RELATED = '[aria-label="Related"]'
const UPLOADS = '**/v1/companies/*/files?*'

async function openCompany() {
  const visited = await visit()
  const { id } = (await visited.workspace.api.post('/companies', { name: 'Acme' })).body.data
  await visited.open(`/companies/${id}`)
  await visited.page.getByRole('tab', { name: 'Files' }).waitFor()
  const listed = async () => (await visited.workspace.api.get(`/companies/${id}/files`)).body.data
  return { ...visited, id, listed }
}

describe('files of a record', () => {
  it('are dropped on the page, listed, renamed and deleted, and their uploads cancelled', async () => {
    const { page, listed } = await openCompany()
    const names = async () =>
      (await listed()).map(({ attributes }: { attributes: { name: string } }) => attributes.name).toSorted()
    await drop(page, RELATED, [offer, { name: 'a/b:c?.md', type: 'text/markdown', text: '# Plan' }])
    await eventually(async () => expect(await names()).toEqual(['a_b:c?.md', 'offer.txt']))
    // The activity is open, and shows them without a reload.
    await page.getByRole('link', { name: 'offer.txt' }).waitFor()
    await page.getByRole('tab', { name: 'Files 2' }).click()
    const download = page.waitForEvent('download')
    await page.getByRole('list', { name: 'Files' }).getByRole('link', { name: 'offer.txt' }).click()
    expect((await download).suggestedFilename()).toBe('offer.txt')

    await page.getByRole('link', { name: 'offer.txt' }).hover()
    await page.getByRole('button', { name: 'Rename offer.txt' }).click()
    await page.getByRole('textbox', { name: 'Name of the file' }).fill('new/name.txt')
    await page.keyboard.press('Enter')
    await page.getByRole('alert').filter({ hasText: 'must not contain' }).waitFor()
    await page.getByRole('textbox', { name: 'Name of the file' }).fill('new.txt')
    await page.keyboard.press('Enter')
    await page.getByRole('link', { name: 'new.txt' }).hover()
    await page.getByRole('button', { name: 'Delete new.txt' }).click()
    await eventually(async () => expect(await names()).toEqual(['a_b:c?.md']))
    await page.getByRole('button', { name: 'Undo' }).click()
    await eventually(async () => expect(await names()).toEqual(['a_b:c?.md', 'new.txt']))
    await page.getByRole('link', { name: 'new.txt' }).waitFor()

    const held = Promise.withResolvers<void>()
    await page.route(UPLOADS, async (route) => {
      if (route.request().method() === 'POST') await held.promise
      await route.continue().catch(() => {})
    })
    await drop(page, RELATED, [{ ...offer, name: 'late.txt' }])
    await page.getByRole('progressbar', { name: 'Upload of late.txt' }).waitFor()
    await page.getByRole('button', { name: 'Cancel the upload of late.txt' }).click()
    await page.getByRole('progressbar').waitFor({ state: 'detached' })
    held.resolve()
    await page.getByText('Cancelled the upload of late.txt', { exact: true }).waitFor()
    expect(await names()).toEqual(['a_b:c?.md', 'new.txt'])
  })

  it('wait during an outage, survive a reload, and are sent once', async () => {
    const { page, listed } = await openCompany()
    await page.route(UPLOADS, (route) => (route.request().method() === 'POST' ? route.abort() : route.continue()))
    await drop(page, RELATED, [offer])
    await page
      .getByRole('region', { name: 'Files that are not uploaded' })
      .getByText('1 file is not uploaded')
      .waitFor()
    await page.reload()
    await page.getByRole('list', { name: 'Uploads' }).getByText('offer.txt').waitFor()
    expect(await listed()).toEqual([])
    await page.unroute(UPLOADS)
    await page.evaluate(() => window.dispatchEvent(new Event('online')))
    await eventually(async () => expect(await listed()).toHaveLength(1))
    await page.getByRole('list', { name: 'Uploads' }).waitFor({ state: 'detached' })
    await page.reload()
    await page.getByRole('tab', { name: 'Files 1' }).waitFor()
    expect(await listed()).toHaveLength(1)
  })

  it.runIf(isLong)('that the service refuses stay with the reason', async () => {
    const { page } = await openCompany()
    await drop(page, RELATED, [{ name: 'empty.txt', type: 'text/plain', text: '' }])
    const uploads = page.getByRole('list', { name: 'Uploads' })
    await uploads.getByText('Not uploaded: The file is empty.', { exact: true }).waitFor()
    await uploads.getByRole('button', { name: 'Cancel the upload of empty.txt' }).click()
    await uploads.waitFor({ state: 'detached' })
  })

  it.runIf(isLong)('are only read by viewers', async () => {
    const { workspace, page, open } = await visit({ role: 'viewer' })
    const { id } = (await workspace.api.post('/companies', { name: 'Acme' })).body.data
    await newFile(workspace.api, id, 'a.txt')
    await open(`/companies/${id}`)
    await page.getByRole('tab', { name: 'Files 1' }).click()
    await page.getByRole('link', { name: 'a.txt' }).waitFor()
    for (const name of ['Add files', 'Delete a.txt', 'Rename a.txt']) {
      expect(await page.getByRole('button', { name }).count()).toBe(0)
    }
  })

  it('with scripts never run: SVG and HTML are stored, and shown as links', async () => {
    const { workspace, page, id } = await openCompany()
    const script = '<script>window.opener && (window.opener.ran = true); document.title = "ran"</script>'
    const files = [
      { name: 'page.html', type: 'text/html', text: `<html><body>${script}</body></html>` },
      { name: 'logo.svg', type: 'image/svg+xml', text: `<svg xmlns="http://www.w3.org/2000/svg">${script}</svg>` },
    ]
    await drop(page, RELATED, files)
    for (const { name } of files) await page.getByRole('link', { name }).waitFor()
    expect(await page.locator('img[src*="/content"]').count()).toBe(0)
    const { data } = (await workspace.api.get(`/companies/${id}/files`)).body
    for (const file of data) {
      const address = `/api/app/w/${workspace.slug}/v1/files/${file.id}/content`
      // As a page it is a download, and in a page it is not loaded.
      const opened = page.waitForEvent('download')
      await page.evaluate((url) => void window.open(url), address)
      await opened
      await page.evaluate(async (url) => {
        for (const name of ['iframe', 'object', 'embed']) {
          const blocked = new Promise((resolve) => window.addEventListener('securitypolicyviolation', resolve))
          const element = document.createElement(name)
          element.setAttribute(name === 'object' ? 'data' : 'src', url)
          document.body.append(element)
          await blocked
        }
      }, address)
    }
    expect(await page.evaluate(() => [document.title.includes('ran'), 'ran' in window])).toEqual([false, false])
    for (const frame of page.frames().slice(1)) expect(await frame.title().catch(() => '')).not.toBe('ran')
  })
})

/** A red dot. */
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAoAAAAKCAYAAACNMs+9AAAAFUlEQVR42mP8z8BQz0AEYBxVSF+FABJADveWkH6oAAAAAElFTkSuQmCC'

/** Pastes files into what has the focus. */
async function paste(page: Page, files: readonly { name: string; type: string; base64: string }[]): Promise<void> {
  await page.evaluate((sent) => {
    const clipboardData = new DataTransfer()
    for (const { name, type, base64 } of sent) {
      const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))
      clipboardData.items.add(new File([bytes], name, { type }))
    }
    const event = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true })
    document.activeElement?.dispatchEvent(event)
  }, files)
}

const picture = { name: 'dot.png', type: 'image/png', base64: PNG }
const report = { name: 'report [1].pdf', type: 'application/pdf', base64: btoa('%PDF') }

describe('files in a text', () => {
  it('are pictures or links where they were pasted, also after an outage, and in a new note', async () => {
    const { workspace, page, open } = await visit()
    const { api, slug } = workspace
    const body = 'See ![tracker](https://tracker.example/a.png)'
    const { id } = (await api.post('/notes', { title: 'Call', custom_fields: { body } })).body.data
    await open(`/notes/${id}`)
    const laidOut = page.getByRole('region', { name: 'Body' })
    await laidOut.getByRole('link', { name: 'tracker' }).waitFor()
    expect(await laidOut.getByRole('img').count()).toBe(0)
    await api.patch(`/notes/${id}`, { custom_fields: { body: null } })

    await laidOut.getByText('Write something').waitFor()
    await page.getByRole('button', { name: 'Edit Body' }).press('Enter')
    const editor = page.getByRole('textbox', { name: 'Body' })
    await editor.and(page.locator(':focus')).waitFor()
    await page.keyboard.type('Before ')
    await paste(page, [picture])
    await editor.getByRole('img', { name: 'dot.png' }).waitFor()
    await page.keyboard.type(' between ')
    await paste(page, [report])
    await editor.getByRole('link', { name: 'report [1].pdf' }).waitFor()
    await page.keyboard.press('ControlOrMeta+Enter')
    const shown = laidOut.getByRole('button', { name: 'Edit Body' }).locator('..').getByRole('img', { name: 'dot.png' })
    await expect.poll(() => shown.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(10)
    const { origin } = new URL(page.url())
    const addressOf = async (name: string) => {
      const { data } = (await api.get(`/notes/${id}/files`)).body
      const file = data.find(({ attributes }: { attributes: { name: string } }) => attributes.name === name)
      return `${origin}/${slug}/files/${file?.id}`
    }
    const stored = async () => (await api.get(`/notes/${id}`)).body.data.attributes.custom_fields.body
    const inPlace = `Before ![dot.png](${await addressOf('dot.png')}) between [report \\[1\\].pdf](${await addressOf('report [1].pdf')})`
    await expect.poll(stored).toBe(inPlace)

    const uploads = '**/v1/notes/*/files?*'
    await page.route(uploads, (route) => (route.request().method() === 'POST' ? route.abort() : route.continue()))
    await page.getByRole('button', { name: 'Edit Body' }).press('Enter')
    await editor.and(page.locator(':focus')).waitFor()
    await paste(page, [{ ...picture, name: 'late.png' }])
    await page.getByRole('list', { name: 'Uploads' }).getByText('late.png').waitFor()
    await page.reload()
    await page.unroute(uploads)
    await page.evaluate(() => window.dispatchEvent(new Event('online')))
    await laidOut.getByRole('img', { name: 'late.png' }).waitFor()
    await expect.poll(stored).toBe(`${inPlace}\n\n![late.png](${await addressOf('late.png')})`)

    await page.goto(await addressOf('report [1].pdf'))
    await page.getByRole('link', { name: 'Open the note that it belongs to' }).waitFor()

    const company = (await api.post('/companies', { name: 'Acme' })).body.data.id
    await open(`/companies/${company}`)
    await page.getByRole('textbox', { name: 'Text of the note' }).focus()
    await paste(page, [picture])
    const text = page.getByRole('textbox', { name: 'Text of the note' })
    await expect.poll(() => text.inputValue()).toMatch(/^!\[dot\.png\]\(http/)
    await page.getByRole('button', { name: 'Add note' }).click()
    await page.getByRole('tabpanel', { name: 'Activity' }).getByRole('img', { name: 'dot.png' }).nth(1).waitFor()
    expect((await api.get(`/companies/${company}/files`)).body.meta.total).toBe(1)
  })

  it.runIf(isLong)(
    'that is put into a new note and cancelled takes the empty note with it, and Undo brings both back',
    async () => {
      const { workspace, page, open } = await visit()
      const { id } = (await workspace.api.post('/companies', { name: 'Acme' })).body.data
      await open(`/companies/${id}`)
      const text = page.getByRole('textbox', { name: 'Text of the note' })
      await text.focus()
      const uploads = '**/v1/companies/*/files?*'
      await page.route(uploads, (route) => (route.request().method() === 'POST' ? route.abort() : route.continue()))
      await paste(page, [picture])
      const drafts = () =>
        page.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith('kith.draft.')).length)
      await page.getByRole('list', { name: 'Uploads' }).getByText('dot.png').waitFor()
      expect(await drafts()).toBe(1)
      await page.getByRole('button', { name: 'Cancel the upload of dot.png' }).first().click()
      await expect.poll(drafts).toBe(0)
      await page.unroute(uploads)
      await page.getByRole('button', { name: 'Undo', exact: true }).click()
      await expect.poll(() => text.inputValue()).toMatch(/^!\[dot\.png\]\(http/)
      expect(await drafts()).toBe(1)
    },
  )
})
