import { expect, it } from 'vitest'
import { mailing } from './mails.ts'

it.each([
  ['UTC', '2026-11-14T07:55:00Z', '2026-11-14T08:00:00Z'],
  ['UTC', '2026-11-14T07:55:01Z', '2026-11-15T08:00:00Z'],
  ['Asia/Kathmandu', '2026-11-14T03:00:00Z', '2026-11-15T02:15:00Z'],
  ['Europe/Berlin, when the clocks go forward', '2026-03-28T09:00:00Z', '2026-03-29T06:00:00Z'],
  ['Europe/Berlin, when the clocks go back', '2026-10-24T09:00:00Z', '2026-10-25T07:00:00Z'],
])('a digest is one mail at 8 in the time zone of the user: in %s', async (name, told, morning) => {
  const { mails, failures, slug, company, comment, settings, zone, at } = await mailing()
  const [place = ''] = name.split(',')
  await zone(place)
  await settings({ mentioned: 'digest' })
  await at(told)
  await comment(await company('One'), 'first')
  await comment(await company('Other'), 'second')
  const ms = Date.parse(morning)
  await at(new Date(Math.min(Date.parse(told) + 5 * 60_000, ms - 1)))
  await at(new Date(ms - 1))
  expect(mails).toEqual([])
  await at(morning)
  expect(failures).toEqual([])
  expect(mails.map(({ subject }) => subject)).toEqual(['2 notifications: Acme'])
  expect(mails[0]?.text).toMatch(/the company One\n\n> @Ada first[\s\S]*the company Other\n\n> @Ada second/)
  expect(mails[0]?.html).toContain('Owner mentioned you on the company Other')
  expect(mails[0]?.text).toContain(`/${slug}/settings/notifications`)
  await at(new Date(ms + 36 * 3_600_000))
  expect(mails).toHaveLength(1)
})

it('a digest has at most 50 notifications, and says how many more there are', async () => {
  const { mails, slug, company, comment, settings, at } = await mailing()
  await settings({ mentioned: 'digest' })
  const id = await company('Acme')
  for (let n = 1; n <= 52; n++) await comment(id, `number ${n}`)
  await at('2026-11-15T08:00:00Z')
  expect(mails[0]?.subject).toBe('52 notifications: Acme')
  expect(mails[0]?.text).toContain('number 50')
  expect(mails[0]?.text).not.toContain('number 51')
  expect(mails[0]?.text).toContain(`2 more are in your inbox: https://crm.example.com/${slug}/notifications`)
})
