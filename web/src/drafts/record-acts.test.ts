import { beforeEach, expect, it } from 'vitest'
import { browser } from '../../test/draft-tabs.ts'
import { draftStore, openDrafts } from './drafts.ts'
import { deleteRecord, restoreRecord, undoChange } from './record-acts.ts'

const of = { slug: 'acme', resource: 'notes', id: 'one', name: 'Call' } as const

beforeEach(() => {
  globalThis.localStorage = browser().open(() => {}).storage
  openDrafts(crypto.randomUUID())
})

const waiting = () => draftStore.allDrafts().map(({ act, told }) => [act, told?.message])

it('a deletion that was not sent is taken back by a restoration', () => {
  deleteRecord(of)
  expect(waiting()).toEqual([[{ kind: 'delete' }, 'Deleted Call']])
  restoreRecord(of)
  expect(waiting()).toEqual([])
})

it('a deletion that may have arrived is followed by a restoration', () => {
  deleteRecord(of)
  const [draft] = draftStore.allDrafts()
  if (draft) draftStore.replaceDraft({ ...draft, sent: [{}] })
  restoreRecord(of, 'Undone: Deleted Call')
  expect(waiting()).toEqual([[{ kind: 'restore' }, 'Undone: Deleted Call']])
})

it('undoing two changes of one record are two entries of the queue', () => {
  undoChange(of, { id: 'first', force: false })
  undoChange(of, { id: 'second', force: true })
  expect(waiting().map(([act]) => act)).toEqual([
    { kind: 'undo', id: 'first', force: false },
    { kind: 'undo', id: 'second', force: true },
  ])
})
