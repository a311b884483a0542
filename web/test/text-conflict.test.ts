import { describe, expect, it } from 'vitest'
import { inRun, isLong } from '../../server/test/run-length.ts'
import { eventually } from './eventually.ts'
import { visit } from './visit.ts'

/** A note whose body is being edited while someone else writes. */
async function editing() {
  const visited = await visit()
  const { workspace, page, open } = visited
  const { body } = await workspace.api.post('/notes', { title: 'Call', custom_fields: { body: 'First' } })
  const path = `/notes/${body.data.id}`
  const changed = Promise.withResolvers<void>()
  // The text must not save itself before the other change.
  await page.route('**/v1/notes/*', async (route) => {
    if (route.request().method() === 'PATCH') await changed.promise
    await route.fallback()
  })
  await open(path)
  await page.getByRole('button', { name: 'Edit Body' }).click()
  await page.getByRole('textbox', { name: 'Body' }).and(page.locator(':focus')).waitFor()
  await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.type('Mine')
  const stored = async () => (await workspace.api.get(path)).body.data.attributes
  const save = async () => {
    changed.resolve()
    await page.keyboard.press('ControlOrMeta+Enter')
  }
  return { ...visited, path, stored, save }
}

it.runIf(isLong)(
  'a note that a colleague deletes while it is written can be restored with the text, or kept as a new one',
  async () => {
    const { workspace, page, path, stored } = await editing()
    await workspace.api.delete(path)
    await page.getByText('This note was deleted meanwhile').waitFor()
    await page.getByText('Not saved: this was deleted.').waitFor()
    await page.getByRole('button', { name: 'Keep it as a new note' }).waitFor()
    await page.unroute('**/v1/notes/*')
    await page.getByRole('button', { name: 'Restore the note' }).click()
    await page.getByText('This note was deleted meanwhile').waitFor({ state: 'detached' })
    await eventually(async () => expect((await stored()).custom_fields.body).toBe('Mine'))
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByRole('button', { name: 'Edit Body' }).click()
    await page.keyboard.press('ControlOrMeta+End')
    await page.keyboard.type(' again')
    await workspace.api.delete(path)
    await page.getByRole('button', { name: 'Keep it as a new note' }).click()
    await page.getByText('Created Call').first().waitFor()
    const [kept] = (await workspace.api.get('/notes')).body.data
    expect([kept.attributes.title, kept.attributes.custom_fields.body]).toEqual(['Call', 'Mine again'])
    await page.getByRole('region', { name: 'Unsaved changes' }).waitFor({ state: 'detached' })
  },
)

describe('a text that someone else changes while it is edited', () => {
  it('is not overwritten: both versions are shown, and the user keeps one', async () => {
    const choices = [
      ['Keep yours', 'Mine'],
      ['Keep theirs', 'Theirs'],
    ] as const
    for (const [keep, kept] of choices.slice(0, inRun({ short: 1, long: 2 }))) {
      const { workspace, page, path, stored, save } = await editing()
      await workspace.api.put(path, { custom_fields: { body: 'Theirs' } })
      await save()
      const panel = page.getByRole('alert', { name: 'Body was changed by someone else' })
      await expect.poll(() => panel.getByRole('textbox', { name: 'Your Body' }).inputValue()).toBe('Mine')
      await panel.getByText('Theirs', { exact: true }).last().waitFor()
      expect((await stored()).custom_fields.body).toBe('Theirs')
      await panel.getByRole('button', { name: keep }).click()
      await panel.waitFor({ state: 'detached' })
      await eventually(async () => expect((await stored()).custom_fields.body).toBe(kept))
    }
  })

  it.runIf(isLong)('is saved at once if only something else of the record was changed', async () => {
    const { workspace, path, stored, save } = await editing()
    await workspace.api.put(path, { title: 'Renamed' })
    await save()
    await eventually(async () => {
      const { title, custom_fields } = await stored()
      expect([title, custom_fields.body]).toEqual(['Renamed', 'Mine'])
    })
  })

  it.runIf(isLong)('is no conflict with an own save whose answer was lost', async () => {
    const { page, stored, save } = await editing()
    let isCut = true
    await page.route('**/v1/notes/*', async (route) => {
      if (route.request().method() !== 'PATCH' || !isCut) return route.continue()
      // The service stores it, and nobody learns of that.
      await route.fetch()
      await route.abort()
    })
    await save()
    await page.getByRole('region', { name: 'Unsaved changes' }).getByText('1 change is not saved').waitFor()
    await eventually(async () => expect((await stored()).custom_fields.body).toBe('Mine'))
    // The editor stays open.
    await page.getByRole('textbox', { name: 'Body' }).click()
    await page.keyboard.press('ControlOrMeta+End')
    await page.keyboard.type(' too')
    isCut = false
    await save()
    await eventually(async () => expect((await stored()).custom_fields.body).toBe('Mine too'))
    await page.getByRole('region', { name: 'Unsaved changes' }).waitFor({ state: 'detached' })
    expect(await page.getByRole('alert').count()).toBe(0)
  })

  it.runIf(isLong)('a name likewise', async () => {
    const { workspace, page, open } = await visit()
    const { body } = await workspace.api.post('/companies', { name: 'First' })
    const path = `/companies/${body.data.id}`
    await open(path)
    await page.getByRole('button', { name: 'Edit Name' }).press('Enter')
    await page.keyboard.press('ControlOrMeta+a')
    await page.keyboard.type('Mine')
    await workspace.api.put(path, { name: 'Theirs' })
    await page.keyboard.press('Enter')
    const panel = page.getByRole('alert', { name: 'Name was changed by someone else' })
    await panel.getByRole('button', { name: 'Keep yours' }).click()
    await eventually(async () => expect((await workspace.api.get(path)).body.data.attributes.name).toBe('Mine'))
  })
})
