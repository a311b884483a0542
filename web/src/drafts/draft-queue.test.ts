import { KithError } from '@kith/sdk'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { body, browser, failure, place, seenOf, service, tab, unreachable } from '../../test/draft-tabs.ts'
import { againOf, type Draft, NEW } from './draft-store.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** A service with a note, and a tab that has read it. */
function opened() {
  const shared = browser()
  const kith = service()
  kith.write('one', { title: 'Call', ...body('First') })
  const seen = seenOf(kith)
  return { shared, kith, seen, page: tab(kith, shared) }
}

const soon = () => vi.advanceTimersByTimeAsync(0)
const later = () => vi.advanceTimersByTimeAsync(60_000)

describe('changes during an outage', () => {
  it('are not saved for a reason, survive a reload, and are sent in order when the service is back', async () => {
    const { shared, kith, page, seen } = opened()
    kith.write('two', body('First'))
    kith.hinder(async () => {
      throw unreachable()
    })
    page.type('Mine', { state: 'waiting', seen })
    page.type('Also mine', { id: 'two', state: 'waiting', seen: seenOf(kith, 'two') })
    await soon()
    expect(page.queue.failure.get()).toBe('The service could not be reached.')
    page.close()
    const again = tab(kith, shared)
    expect(again.drafts.allDrafts().map(({ id, change }) => [id, change.shown])).toEqual([
      ['one', body('Mine')],
      ['two', body('Also mine')],
    ])
    await again.queue.send()
    expect(again.at()?.state).toBe('waiting')
    kith.recover()
    kith.sent.length = 0
    await later()
    expect(kith.sent.map(({ body }) => body)).toEqual([body('Mine'), body('Also mine')])
    expect([kith.textOf('one'), kith.textOf('two')]).toEqual(['Mine', 'Also mine'])
    expect([again.drafts.allDrafts(), shared.drafts(), again.queue.failure.get()]).toEqual([[], [], undefined])
  })

  it('are tried again after 1, 2, 4 … 30 seconds, or when the service says', async () => {
    const { kith, page, seen } = opened()
    kith.hinder(async () => {
      throw unreachable()
    })
    page.type('Mine', { state: 'waiting', seen })
    const counts = []
    for (const seconds of [0, 1, 2, 4, 8, 16, 30, 30]) {
      await vi.advanceTimersByTimeAsync(seconds * 1000)
      counts.push(kith.sent.length)
    }
    expect(counts).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
    kith.hinder(async () => {
      throw new KithError({ kind: 'rate_limited', message: 'Too many.', retry_after: 120 })
    })
    await vi.advanceTimersByTimeAsync(119_000)
    expect(kith.sent).toHaveLength(9)
    kith.recover()
    await vi.advanceTimersByTimeAsync(119_000)
    expect(kith.textOf('one')).toBe('Mine')
  })

  it('to a record that is deleted meanwhile stay, and say so', async () => {
    const { kith, page, seen } = opened()
    kith.records.delete('one')
    page.type('Mine', { state: 'waiting', seen })
    await soon()
    expect(page.at()).toMatchObject({
      state: 'refused',
      problem: 'This record was deleted or merged into another one.',
      change: { shown: body('Mine') },
    })
  })

  it('of a user who is removed from the workspace meanwhile say so', async () => {
    const { kith, page, seen } = opened()
    kith.hinder(async () => {
      throw failure('not_found')
    })
    page.type('Mine', { state: 'waiting', seen })
    await soon()
    expect(page.at()?.problem).toBe('You are not a member of this workspace any more, or it was deleted.')
  })
})

describe('a text', () => {
  it('that is refused stays with the reason, and can be changed and sent again', async () => {
    const { kith, page, seen } = opened()
    kith.hinder(async ({ method }) => {
      if (method === 'PATCH')
        throw new KithError({ kind: 'invalid', message: 'Too long.', errors: { body: ['Long.'] } })
    })
    page.type('Much', { state: 'waiting', seen })
    await soon()
    expect(page.at()).toMatchObject({ state: 'refused', problem: 'Too long.', errors: { body: ['Long.'] } })
    await later()
    expect(kith.sent).toHaveLength(1)
    kith.recover()
    page.type('Little', { state: 'waiting' })
    await soon()
    expect([kith.textOf('one'), page.at()]).toEqual(['Little', undefined])
  })

  it('is saved once if the answer is lost', async () => {
    const { kith, page, seen } = opened()
    kith.hinder(async (_sent, when) => {
      if (when === 'after') throw unreachable()
    })
    page.type('Mine', { state: 'waiting', seen })
    await soon()
    const stored = kith.records.get('one')
    expect([kith.textOf('one'), page.at()?.state]).toEqual(['Mine', 'waiting'])
    kith.recover()
    await later()
    expect(kith.sent.map(({ key }) => key)).toEqual([kith.sent[0]?.key, kith.sent[0]?.key])
    expect([kith.records.get('one'), page.at()]).toEqual([stored, undefined])
  })

  it('that is typed on after the answer was lost is no conflict with the own save', async () => {
    const { kith, page, seen } = opened()
    kith.hinder(async (_sent, when) => {
      if (when === 'after') throw unreachable()
    })
    page.type('Mine', { state: 'waiting', seen })
    await soon()
    page.type('Mine too')
    kith.recover()
    page.type('Mine too', { state: 'waiting' })
    await later()
    expect([kith.textOf('one'), page.at()]).toEqual(['Mine too', undefined])
  })

  it('is saved completely if it is typed on while the service is slow', async () => {
    const { kith, page, seen } = opened()
    const slow = Promise.withResolvers<void>()
    kith.hinder(() => slow.promise)
    page.type('Mine', { state: 'waiting', seen })
    await soon()
    page.type('Mine, all of it', { state: 'waiting' })
    slow.resolve()
    await later()
    expect(kith.textOf('one')).toBe('Mine, all of it')
    expect([kith.sent.length, page.at()]).toEqual([2, undefined])
  })

  it('survives the end of the session, and is saved after the sign-in', async () => {
    const { kith, page, seen } = opened()
    kith.hinder(async () => {
      throw failure('unauthenticated')
    })
    page.type('Mine', { state: 'waiting', seen })
    await soon()
    expect([page.queue.failure.get(), page.states]).toEqual(['Your session has ended.', ['ended']])
    kith.recover()
    await page.queue.send()
    expect([kith.textOf('one'), page.states.at(-1), page.at()]).toEqual(['Mine', 'open', undefined])
  })

  it('that the browser has no room for is kept in memory, and saved', async () => {
    const { shared, kith, page, seen } = opened()
    shared.fill(10)
    page.type('Mine', { seen })
    expect([page.drafts.isUnstored(place('one')), page.drafts.hasUnstored()]).toEqual([true, true])
    page.type('Mine in memory', { state: 'waiting' })
    await soon()
    expect([kith.textOf('one'), page.drafts.hasUnstored()]).toEqual(['Mine in memory', false])
  })
})

describe('a text that someone else changes while it is edited', () => {
  it('is not overwritten: both versions are kept until the user sends one', async () => {
    const { kith, page, seen } = opened()
    kith.write('one', body('Theirs'))
    page.type('Mine', { state: 'waiting', seen })
    await soon()
    const conflict = page.at() as Draft
    expect(conflict).toMatchObject({ state: 'conflict', change: { shown: body('Mine') } })
    expect([conflict.theirs?.values, kith.textOf('one')]).toEqual([body('Theirs'), 'Theirs'])
    await later()
    expect(kith.textOf('one')).toBe('Theirs')
    page.drafts.putDraft(againOf(conflict))
    await soon()
    expect([kith.textOf('one'), page.at()]).toEqual(['Mine', undefined])
  })

  it('is in conflict again if it is changed once more before the user has decided', async () => {
    const { kith, page, seen } = opened()
    kith.write('one', body('Theirs'))
    page.type('Mine', { state: 'waiting', seen })
    await soon()
    kith.write('one', body('Theirs again'))
    page.drafts.putDraft(againOf(page.at() as Draft))
    await soon()
    expect(page.at()).toMatchObject({ state: 'conflict', theirs: { values: body('Theirs again') } })
  })

  it('is saved at once if only something else of the record was changed, or to the same text', async () => {
    const { kith, page, seen } = opened()
    kith.write('one', { title: 'Renamed' })
    page.type('Mine', { state: 'waiting', seen })
    await soon()
    expect(kith.records.get('one')?.attributes).toMatchObject({ title: 'Renamed', ...body('Mine') })
    const before = seenOf(kith)
    kith.write('one', body('Same'))
    page.type('Same', { state: 'waiting', seen: before })
    await soon()
    expect(page.at()).toBe(undefined)
  })
})

describe('the deletion of a record', () => {
  const deletion = { ...place('one'), property: 'record', name: 'Call', label: 'Deletion', state: 'waiting' } as const
  const nothing = { input: {}, shown: {} }
  const putDeletion = ({ drafts }: ReturnType<typeof tab>) =>
    drafts.putDraft({ ...deletion, change: nothing, act: { kind: 'delete' } })

  it('waits in the queue behind the changes before it, also over a reload', async () => {
    const { shared, kith, page, seen } = opened()
    kith.hinder(async () => {
      throw unreachable()
    })
    page.type('Mine', { state: 'waiting', seen })
    putDeletion(page)
    await soon()
    page.close()
    const again = tab(kith, shared)
    expect(again.drafts.draftAt(deletion)?.act).toEqual({ kind: 'delete' })
    kith.recover()
    kith.sent.length = 0
    await again.queue.send()
    await later()
    expect(kith.sent.map(({ method, path }) => [method, path])).toEqual([
      ['PATCH', '/w/acme/v1/notes/one'],
      ['DELETE', '/w/acme/v1/notes/one'],
    ])
    expect([kith.records.size, again.drafts.allDrafts()]).toEqual([0, []])
  })

  it('is done if the record is gone already, because an answer was lost', async () => {
    const { kith, page } = opened()
    kith.hinder(async ({ method }, when) => {
      if (method === 'DELETE' && when === 'after') throw unreachable()
    })
    putDeletion(page)
    await soon()
    expect([kith.records.size, page.drafts.draftAt(deletion)?.state]).toEqual([0, 'waiting'])
    kith.recover()
    await later()
    expect(page.drafts.allDrafts()).toEqual([])
  })

  it('that is refused stays with the reason', async () => {
    const { kith, page } = opened()
    kith.hinder(async () => {
      throw failure('forbidden', 'You may not delete.')
    })
    putDeletion(page)
    await soon()
    expect(page.drafts.draftAt(deletion)).toMatchObject({ state: 'refused', problem: 'You may not delete.' })
  })
})

describe('in two tabs of one user', () => {
  it('a text is one text, and the later one is saved on top of the earlier one', async () => {
    const { shared, kith, page, seen } = opened()
    const second = tab(kith, shared)
    page.type('One', { seen })
    expect(second.at()?.change.shown).toEqual(body('One'))
    expect([
      second.drafts.isElsewhere(second.at() as Draft),
      second.drafts.isOpenElsewhere(second.at() as Draft),
    ]).toEqual([true, true])
    page.type('One', { state: 'waiting' })
    await soon()
    expect([page.at(), second.at()]).toEqual([undefined, undefined])
    second.type('One, two', { state: 'waiting', seen: seenOf(kith) })
    await soon()
    expect([kith.textOf('one'), page.at(), second.at()]).toEqual(['One, two', undefined, undefined])
  })

  it('no text is lost if both are typed at once: the user decides between them', async () => {
    const { shared, kith, page, seen } = opened()
    kith.hinder(async () => {
      throw unreachable()
    })
    const second = tab(kith, shared)
    second.hear(false)
    page.type('One here', { seen })
    second.type('One there', { seen })
    const conflict = page.at() as Draft
    expect(conflict).toMatchObject({ state: 'conflict', change: { shown: body('One here') } })
    expect(conflict.theirs).toMatchObject({ isOwn: true, values: body('One there') })
    second.close()
    kith.recover()
    page.drafts.putDraft(againOf(conflict))
    await later()
    expect([kith.textOf('one'), page.at(), shared.drafts()]).toEqual(['One here', undefined, []])
  })

  it('another value of the same record is no conflict', async () => {
    const { shared, kith, page, seen } = opened()
    const second = tab(kith, shared)
    page.type('Mine', { state: 'waiting', seen })
    await soon()
    const title = { title: 'Renamed' }
    const about = { ...place('one'), property: 'title', name: 'Call', label: 'Title' }
    const change = { input: title, shown: title }
    second.drafts.putDraft({
      ...about,
      change,
      seen: { version: seen.version, values: { title: 'Call' } },
      state: 'waiting',
    })
    await soon()
    expect(kith.records.get('one')?.attributes).toMatchObject({ ...title, ...body('Mine') })
    expect(second.drafts.allDrafts()).toEqual([])
  })
})

describe('a new record', () => {
  const put = ({ drafts }: ReturnType<typeof tab>, title: string, state: Draft['state']) =>
    drafts.putDraft({
      ...place(NEW),
      name: title,
      label: 'New note',
      change: { input: { title }, shown: { title } },
      state,
    })

  it('that is half typed is not created, also by a reload', async () => {
    const { shared, kith, page } = opened()
    put(page, 'Gra', 'typing')
    page.close()
    const again = tab(kith, shared)
    await again.queue.send()
    await later()
    expect([again.at(NEW)?.name, kith.sent]).toEqual(['Gra', []])
  })

  it('waits for the service, and is created once, also if the answer is lost', async () => {
    const { kith, page } = opened()
    kith.hinder(async (_sent, when) => {
      if (when === 'before') throw unreachable()
    })
    put(page, 'Grace', 'waiting')
    await soon()
    kith.hinder(async (_sent, when) => {
      if (when === 'after') throw unreachable()
    })
    await vi.advanceTimersByTimeAsync(1000)
    kith.recover()
    await later()
    expect([kith.sent.length, kith.records.size, page.at(NEW)]).toEqual([3, 2, undefined])
  })
})

describe('drafts of a user', () => {
  it('are never shown or sent to another user, and come back with the user', async () => {
    const { shared, kith, page, seen } = opened()
    page.type('Private', { seen })
    page.close()
    const other = tab(kith, shared, 'grace')
    expect(other.drafts.allDrafts()).toEqual([])
    other.close()
    const again = tab(kith, shared)
    expect(again.at()?.change.shown).toEqual(body('Private'))
  })

  it('are not sent while someone else is signed in, in another tab', async () => {
    const { shared, kith, page, seen } = opened()
    tab(kith, shared, 'grace')
    expect(page.drafts.isSignIn({ key: 'kith.user' })).toBe(true)
    page.type('Private', { state: 'waiting', seen })
    await later()
    expect(kith.sent).toEqual([])
  })

  it('are removed at the sign-out, and after 30 days', async () => {
    const { shared, kith, page, seen } = opened()
    page.type('Old', { seen })
    page.drafts.removeAllDrafts()
    expect(shared.drafts()).toEqual([])
    page.type('Old', { seen })
    vi.setSystemTime(Date.now() + 31 * 86_400_000)
    expect(tab(kith, shared).drafts.allDrafts()).toEqual([])
    expect(shared.drafts()).toEqual([])
  })
})
