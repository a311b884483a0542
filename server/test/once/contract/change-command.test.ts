import { expect, inject, it } from 'vitest'
import { made } from '../../records.ts'
import { runKith } from '../../run-kith.ts'
import { lastChange } from '../../undoing.ts'
import { newWorkspace } from '../../workspace.ts'

it('kith change shows and undoes a change, or those of the token since a time', async () => {
  const { api } = await newWorkspace()
  const env = { KITH_URL: inject('service').url, KITH_TOKEN: api.token }
  const kith = (...args: string[]) => runKith(['change', ...args], env)
  const { id, attributes } = await made(api, 'companies', { name: 'A' })
  await api.patch(`/companies/${id}`, { name: 'B' })
  const change = await lastChange(api, 'companies', id)
  expect((await kith('show', change)).stdout).toMatch(
    /^companies \w+ was updated at .*\nFIELD +BEFORE +AFTER\nname +"A" +"B"/,
  )
  expect((await kith('undo', change, '--dry-run')).stdout).toBe('1 of 1 change can be undone.\n')
  expect((await kith('undo', change)).stdout).toBe(`Undid ${change}. The record is as it was before.\n`)
  await api.patch(`/companies/${id}`, { name: 'C' })
  const refused = await kith('undo', id)
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('was changed again at')])
  const since = await kith('undo', '--since', attributes.created_at, '--dry-run', '--json')
  expect(JSON.parse(since.stdout).meta).toMatchObject({ total: 2, succeeded: 2, dry_run: true })
  const later = await kith('undo', '--since', attributes.created_at, '--until', attributes.created_at)
  expect([later.code, later.stdout]).toEqual([1, expect.stringMatching(/^0 of 1 change were undone\.\n\w+: /)])
  expect((await kith('undo', id, '--force')).stdout).toBe(`Undid ${id}. The record is deleted now.\n`)
  expect((await api.get(`/companies/${id}`)).status).toBe(404)
  for (const args of [[], [id, '--since', '2026-01-01'], ['--since', '2026-01-01', '--force'], [id, '--until', 'x']]) {
    expect((await kith('undo', ...args)).code, args.join(' ')).not.toBe(0)
  }
})
