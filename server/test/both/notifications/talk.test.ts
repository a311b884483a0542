import { beforeAll, describe, expect, it } from 'vitest'
import { signedInMember } from '../../browser.ts'
import { declared, workspaceWithOwn } from '../../own-resource.ts'
import { testedResources } from '../../run-length.ts'
import type { Person, TestWorkspace } from '../../workspace.ts'
import { newComment } from '../comments/comments.ts'
import { newRecord } from '../files/files.ts'
import { inboxOf, memberOf, type Told, textsOf } from './inbox.ts'

let workspace: TestWorkspace

beforeAll(async () => {
  workspace = await workspaceWithOwn()
})

const at = ({ id }: Pick<Person, 'id'>) => `@[${id}]`
const reasonsOf = (told: readonly Told[]) => told.map(({ attributes }) => attributes.reason)

describe('a comment', () => {
  it.each(testedResources)('on one of the %s: notifies whom it mentions and who follows the record', async (type) => {
    const [ada, bob, eve] = [await memberOf(workspace), await memberOf(workspace, 'viewer'), await memberOf(workspace)]
    const id = await newRecord(workspace, type)
    await bob.api.put(`/${type}/${id}/follow`)
    await newComment(ada.api, `${type}/${id}`, `Hello ${at(bob)},\n\nplease *call* ${at(eve)}.`)
    const what = `the ${declared(type).one} ${(await workspace.api.get(`/${type}/${id}`)).body.data.attributes[declared(type).label]}`
    const said = `Hello @${bob.name}, please *call* @${eve.name}.`
    for (const { api } of [bob, eve]) {
      const [told, ...more] = await inboxOf(api)
      expect(more).toEqual([])
      expect(told?.attributes).toMatchObject({
        reason: 'mentioned',
        resource: type,
        record_id: id,
        actor_id: ada.id,
        text: `${ada.name} mentioned you on ${what}: ${said}`,
      })
    }
    // The owner has made the record.
    expect((await textsOf(workspace.api))[0]).toBe(`${ada.name} commented on ${what}: ${said}`)
    expect(await inboxOf(ada.api)).toEqual([])
  })

  it('is told in one line as it reads, without the marks of Markdown', async () => {
    const ada = await memberOf(workspace)
    const id = await newRecord(workspace)
    const body =
      '## Figures\n\n> **8,400** ~~more~~ `less`, see [the *offer*](https://a.example/b) ![a](https://a.example/c)'
    await newComment(ada.api, id, body)
    expect((await textsOf(workspace.api))[0]).toMatch(/: Figures 8,400 more less, see the \*offer\* a$/)
  })

  it('notifies each person once, for the first reason that fits', async () => {
    const [ada, bob] = [await memberOf(workspace), await memberOf(workspace)]
    const id = await newRecord(workspace)
    const first = await newComment(ada.api, id, 'Who calls?')
    await newComment(bob.api, id, `You do, ${at(ada)}`, { reply_to: first.id })
    await newComment(bob.api, id, 'Or I do.', { reply_to: first.id })
    await newComment(bob.api, id, 'By the way')
    expect(reasonsOf(await inboxOf(ada.api))).toEqual(['commented', 'replied', 'mentioned'])
    expect(await inboxOf(bob.api)).toEqual([])
  })

  it('makes its author follow the record, also one who had ended it, until they end it again', async () => {
    const ada = await memberOf(workspace)
    const id = await newRecord(workspace)
    const path = `/companies/${id}/follow`
    const following = async () => (await ada.api.get(path)).body.meta.following
    await newComment(ada.api, id)
    expect(await following()).toBe(true)
    await ada.api.delete(path)
    expect(await following()).toBe(false)
    await newComment(workspace.api, id, 'Not for Ada')
    expect(await inboxOf(ada.api)).toEqual([])
    await newComment(ada.api, id, 'Again')
    expect(await following()).toBe(true)
    await newComment(workspace.api, id, 'For Ada')
    expect(reasonsOf(await inboxOf(ada.api))).toEqual(['commented'])
  })

  it('an edit notifies new mentions only, each once; and the text is that of now', async () => {
    const [ada, bob] = [await memberOf(workspace), await memberOf(workspace)]
    const id = await newRecord(workspace)
    await bob.api.put(`/companies/${id}/follow`)
    const { id: comment } = await newComment(workspace.api, id, `${at(ada)} first`)
    const edit = (body: string) => workspace.api.put(`/comments/${comment}`, { body })
    await edit(`${at(ada)} second`)
    expect(await textsOf(ada.api)).toEqual([expect.stringMatching(/second$/)])
    await edit(`${at(ada)} ${at(bob)} third`)
    await edit('nobody')
    await edit(`${at(bob)} ${at(ada)} again`)
    expect(reasonsOf(await inboxOf(ada.api))).toEqual(['mentioned'])
    expect(reasonsOf(await inboxOf(bob.api))).toEqual(['mentioned', 'commented'])
  })

  it('that is deleted is in no inbox until it is restored; and restoring it notifies nobody', async () => {
    const ada = await memberOf(workspace)
    const id = await newRecord(workspace)
    const { id: comment } = await newComment(workspace.api, id, `${at(ada)}: a secret`)
    const before = await inboxOf(ada.api)
    await workspace.api.delete(`/comments/${comment}`)
    expect(await inboxOf(ada.api)).toEqual([])
    await workspace.api.put(`/comments/${comment}/restore`)
    expect(await inboxOf(ada.api)).toEqual(before)
  })

  it('goes to the winner of a merge with its notifications, and back', async () => {
    const ada = await memberOf(workspace)
    const [winner, loser] = [await newRecord(workspace), await newRecord(workspace)]
    await newComment(workspace.api, loser, at(ada))
    const records = async () => (await inboxOf(ada.api)).map(({ attributes }) => attributes.record_id)
    const merged = await workspace.api.put(`/companies/${winner}/merge`, { loser_ids: [loser] })
    expect(await records()).toEqual([winner])
    await workspace.api.put(`/merges/${merged.body.meta.merge_id}/undo`)
    expect(await records()).toEqual([loser])
  })

  it('a former member is not notified, whoever they were', async () => {
    const ada = await workspace.member('member')
    const id = await newRecord(workspace)
    const { id: first } = await newComment(await workspace.token({ user: ada }), id)
    await workspace.remove(ada)
    await newComment(workspace.api, id, 'Gone?', { reply_to: first })
    expect((await workspace.api.get(`/companies/${id}/comments`)).body.data).toHaveLength(2)
  })
})

describe('the inbox of the application', () => {
  it('has the notifications of the user with the comments that they are about, in pages', async () => {
    const { browser, id: user_id } = await signedInMember(workspace, 'viewer')
    const id = await newRecord(workspace)
    const [first, second] = [
      await newComment(workspace.api, id, at({ id: user_id })),
      await newComment(workspace.api, id, `And ${at({ id: user_id })}`),
    ]
    const inbox = async (query = '') => (await browser.get(`/w/${workspace.slug}/inbox${query}`)).body
    const { data, meta } = await inbox()
    expect(data.map((one: { comment_id: string }) => one.comment_id)).toEqual([second.id, first.id])
    expect(data[0]).toMatchObject({ type: 'notifications', attributes: { reason: 'mentioned', record_id: id } })
    expect(meta).toEqual({ next_cursor: null })
    const page = await inbox('?per_page=1')
    expect(page).toEqual({ data: [data[0]], meta: { next_cursor: data[0].id } })
    expect((await inbox(`?cursor=${data[0].id}`)).data).toEqual([data[1]])
    await browser.put(`/w/${workspace.slug}/v1/notifications/${data[0].id}`, { read: true })
    expect((await inbox('?unread=true')).data).toEqual([data[1]])
    const wrong = (await inbox('?unread=yes&more=1')).errors
    expect(Object.keys(wrong).toSorted()).toEqual(['more', 'unread'])
  })
})
