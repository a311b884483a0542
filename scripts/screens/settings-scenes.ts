import type { Scene } from './scenes.ts'
import { factorScenes } from './sign-in-scenes.ts'
import { webhookScenes } from './webhook-scenes.ts'

export const settingsScenes: readonly Scene[] = [
  ...(
    [
      ['profile', 'Profile and appearance'],
      ['security', 'Password and sign-in'],
      ['notifications', 'Notifications'],
      ['workspace', 'General'],
      ['members', 'Members'],
      ['data', 'Data'],
      ['fields', 'Custom fields'],
      ['tokens', 'Access Tokens'],
      ['connections', 'Connections'],
      ['sync', 'Sync'],
      ['trash', 'Trash'],
      ['audit', 'Audit log'],
    ] as const
  ).map(([name, title]) =>
    scene(`settings-${name}`, title, async (page, { base }) => {
      await page.goto(`${base}/settings/${name}`)
      await page.getByRole('heading', { name: title, exact: true, level: 2 }).waitFor()
    }),
  ),
  scene('settings-sync-empty', 'Sync without changes', async (page, { empty }) => {
    await page.goto(`${empty}/settings/sync?of=notes`)
    await page.getByRole('heading', { name: 'No recent changes' }).waitFor()
  }),
  scene('settings-sync-failed', 'Sync with a filter that cannot be followed', async (page, { base }) => {
    const filter = encodeURIComponent('{"company":{"name":{"$contains":"a"}}}')
    await page.goto(`${base}/settings/sync?of=people&filter=${filter}`)
    await page.getByRole('alert').waitFor()
  }),
  scene('settings-new-resource', 'A new resource', async (page, { base }) => {
    await page.goto(`${base}/settings/data`)
    await page.getByRole('button', { name: 'New resource' }).click()
    await page.getByRole('dialog').getByLabel('Name').fill('Projects')
    await page.getByText('One is called Project.').waitFor()
  }),
  scene('settings-field', 'A custom field', async (page, { base }) => {
    await page.goto(`${base}/settings/fields`)
    await page.getByRole('button', { name: 'Tier', exact: true }).click()
    await page.getByRole('dialog').waitFor()
  }),
  scene('settings-new-field', 'A new field', async (page, { base }) => {
    await page.goto(`${base}/settings/fields`)
    await page.getByRole('button', { name: 'New field' }).click()
    await page.getByRole('dialog').waitFor()
  }),
  scene('settings-new-token', 'A new token', async (page, { base }) => {
    await page.goto(`${base}/settings/tokens`)
    await page.getByRole('button', { name: 'New token' }).first().click()
    await page.getByRole('dialog').getByLabel('Name').fill('Website form')
  }),
  scene('settings-token', 'A token, shown once', async (page, { base }) => {
    await page.goto(`${base}/settings/tokens`)
    await page.getByRole('button', { name: 'New token' }).first().click()
    await page.getByRole('dialog').getByLabel('Name').fill('Import')
    await page.getByRole('button', { name: 'Create token' }).click()
    await page.getByRole('region', { name: 'Token', exact: true }).waitFor()
  }),
  scene('settings-invite', 'Invite', async (page, { base }) => {
    await page.goto(`${base}/settings/members`)
    await page.getByRole('button', { name: 'Invite', exact: true }).click()
    await page.getByRole('dialog').waitFor()
  }),
  ...factorScenes,
  ...webhookScenes,
].map((one) => ({ ...one, group: 'Settings', darkNarrow: true as const }))

function scene(name: string, title: string, show: Scene['show']): Scene {
  return { name, title, group: '', show }
}
