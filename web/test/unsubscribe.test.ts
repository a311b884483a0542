import { expect, inject, it } from 'vitest'
import { unsubscribeToken } from '../../server/src/mails/unsubscribe.ts'
import { newWorkspace } from '../../server/test/workspace.ts'
import { expectFitting, narrow, wide } from './accessibility.ts'
import { newPage } from './pages.ts'

it('the link of a mail asks before it ends mails of its kind, without signing in', async () => {
  const workspace = await newWorkspace()
  const { owner, api, runtime } = workspace
  const ending = { workspace_id: workspace.id, user_id: owner.id, reasons: ['commented', 'due'] } as const
  const settings = async () => (await api.get('/notifications/settings')).body.data.attributes
  const before = await settings()
  const page = await newPage()
  const open = (token: string) => page.goto(`${inject('service').url}/unsubscribe?token=${token}`)
  await open(unsubscribeToken(runtime.secret, ending))
  await page.getByRole('heading', { name: 'End these mails?' }).waitFor()
  await page.getByText(`Of the workspace Workspace ${workspace.slug}, about: comments, due tasks.`).waitFor()
  await expectFitting(page, [...wide, ...narrow], 'The page of a link in a mail')
  expect(await settings()).toEqual(before)
  await page.getByRole('button', { name: 'Send me no more of them' }).click()
  await page.getByRole('heading', { name: 'You get no more of these mails' }).waitFor()
  expect(await settings()).toEqual({ ...before, commented: 'none', due: 'none' })
  await open('made-up.token')
  await page.getByText('This link does not work.').waitFor()
})
