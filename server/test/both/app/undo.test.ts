import type { Activity, EntryUndo } from '@kith/contract/app/activity'
import { expect, it } from 'vitest'
import { signedInMember } from '../../browser.ts'
import { made, NOWHERE } from '../../records.ts'
import { changeIn, lastChange } from '../../undoing.ts'
import { newWorkspace } from '../../workspace.ts'

type Item = Activity<object>

it('the activity says how each entry is undone, and what has undone it', async () => {
  const workspace = await newWorkspace()
  const { api } = workspace
  const { browser } = await signedInMember(workspace, 'member')
  const [winner, loser] = [await made(api, 'companies'), await made(api, 'companies')]
  const person = await made(api, 'people', { company_id: loser.id })
  await api.patch(`/companies/${winner.id}`, { name: 'Two' })
  const change = await lastChange(api, 'companies', winner.id)
  const undone = changeIn(await api.put(`/changes/${change}/undo`))
  expect((await api.put(`/companies/${winner.id}/merge`, { loser_ids: [loser.id] })).status).toBe(200)
  const undosOf = async (resource: string, id: string): Promise<(EntryUndo & { action: string; id: string })[]> => {
    const { body } = await browser.get(
      `/w/${workspace.slug}/activity?resource=${resource}&record_id=${id}&kinds=changes,merges`,
    )
    return body.data.flatMap((item: Item) =>
      'entry' in item ? [{ ...item.undo, action: item.entry.action, id: item.id }] : [],
    )
  }
  const all = await undosOf('companies', winner.id)
  const merge = all.find(({ id, action, change }) => action === 'merge' && change === id)?.id
  expect(all.filter(({ action }) => action === 'merge')).toMatchObject([{ change: merge }, { change: merge }])
  expect(all.find(({ id }) => id === change)).toMatchObject({ change: null, of: null, by: undone })
  expect(all.find(({ id }) => id === undone)).toMatchObject({ change: undone, of: change, by: null })
  // What the merge has caused is undone with it.
  expect((await undosOf('people', person.id))[0]).toMatchObject({ action: 'update', change: null })
})

it('the changes of a token are for its owner, and for those who see all tokens', async () => {
  const workspace = await newWorkspace()
  const { browser: owner } = await signedInMember(workspace, 'admin')
  const member = await signedInMember(workspace, 'member')
  const { browser } = member
  const token = await workspace.token({ user: member })
  const { id, attributes } = await made(token, 'companies')
  await made(workspace.api, 'companies')
  const asked = (by: typeof browser, of: string, query = `since=${attributes.created_at}`) =>
    by.get(`/w/${workspace.slug}/tokens/${of}/changes?${query}`)
  expect((await asked(browser, token.id)).body.data).toEqual([id])
  expect((await asked(owner, token.id)).body.data).toEqual([id])
  const other = await workspace.token()
  expect((await asked(browser, other.id)).status).toBe(404)
  expect((await asked(owner, NOWHERE)).status).toBe(404)
  expect(Object.keys((await asked(browser, token.id, 'since=x&no=1')).body.errors)).toEqual(['no', 'since'])
})
