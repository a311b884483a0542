import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { newFile } from '../../server/test/both/files/files.ts'
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
  it('are dropped on the page, listed, and entries of the activity', async () => {
    const { page, listed } = await openCompany()
    await drop(page, RELATED, [offer, { name: 'a/b:c?.md', type: 'text/markdown', text: '# Plan' }])
    await eventually(async () => {
      const names = (await listed()).map(({ attributes }: { attributes: { name: string } }) => attributes.name)
      expect(names).toEqual(['a_b:c?.md', 'offer.txt'])
    })
    // The activity is open, and shows them without a reload.
    await page.getByRole('link', { name: 'offer.txt' }).waitFor()
    await page.getByRole('tab', { name: 'Files 2' }).click()
    const download = page.waitForEvent('download')
    await page.getByRole('list', { name: 'Files' }).getByRole('link', { name: 'offer.txt' }).click()
    expect((await download).suggestedFilename()).toBe('offer.txt')
  })

  it('are renamed and deleted, with a way back', async () => {
    const { workspace, page, id, listed } = await openCompany()
    await newFile(workspace.api, id, 'old.txt')
    await page.getByRole('tab', { name: 'Files 1' }).click()
    await page.getByRole('link', { name: 'old.txt' }).hover()
    await page.getByRole('button', { name: 'Rename old.txt' }).click()
    await page.getByRole('textbox', { name: 'Name of the file' }).fill('new/name.txt')
    await page.keyboard.press('Enter')
    await page.getByRole('alert').filter({ hasText: 'must not contain' }).waitFor()
    await page.getByRole('textbox', { name: 'Name of the file' }).fill('new.txt')
    await page.keyboard.press('Enter')
    await page.getByRole('link', { name: 'new.txt' }).hover()
    await page.getByRole('button', { name: 'Delete new.txt' }).click()
    await eventually(async () => expect(await listed()).toEqual([]))
    await page.getByRole('button', { name: 'Undo' }).click()
    await eventually(async () => expect(await listed()).toHaveLength(1))
    await page.getByRole('link', { name: 'new.txt' }).waitFor()
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

  it('show their progress, and are cancelled', async () => {
    const { page, listed } = await openCompany()
    let release = () => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    await page.route(UPLOADS, async (route) => {
      if (route.request().method() === 'POST') await held
      await route.continue().catch(() => {})
    })
    await drop(page, RELATED, [offer])
    await page.getByRole('progressbar', { name: 'Upload of offer.txt' }).waitFor()
    await page.getByRole('button', { name: 'Cancel the upload of offer.txt' }).click()
    await page.getByRole('progressbar').waitFor({ state: 'detached' })
    release()
    await page.getByText('Cancelled the upload of offer.txt', { exact: true }).waitFor()
    expect(await listed()).toEqual([])
  })

  it('that the service refuses stay with the reason', async () => {
    const { page } = await openCompany()
    await drop(page, RELATED, [{ name: 'empty.txt', type: 'text/plain', text: '' }])
    const uploads = page.getByRole('list', { name: 'Uploads' })
    await uploads.getByRole('alert').filter({ hasText: 'The file is empty' }).waitFor()
    await uploads.getByRole('button', { name: 'Cancel the upload of empty.txt' }).click()
    await uploads.waitFor({ state: 'detached' })
  })

  it('are only read by viewers', async () => {
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
      // Opened as a page, in a frame and as an object: each is a download or nothing.
      const download = page.waitForEvent('download')
      await page.evaluate((url) => void window.open(url), address)
      await download
      await page.evaluate(async (url) => {
        for (const name of ['iframe', 'object', 'embed']) {
          const element = document.createElement(name)
          element.setAttribute(name === 'object' ? 'data' : 'src', url)
          document.body.append(element)
        }
      }, address)
    }
    await page.waitForTimeout(500)
    expect(await page.evaluate(() => [document.title.includes('ran'), 'ran' in window])).toEqual([false, false])
    for (const frame of page.frames().slice(1)) expect(await frame.title().catch(() => '')).not.toBe('ran')
  })
})
