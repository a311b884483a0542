import { roleMay } from '@kith/contract/permissions'
import { FileInput, Merge, Pencil, Plus, Trash2, Undo2 } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import type { ActivityItem } from '../../api/history.ts'
import type { ApiRecord } from '../../api/records.ts'
import { useWorkspace } from '../../api/workspace.ts'
import { Confirm } from '../../components/dialog.tsx'
import { DraftNote } from '../../drafts/drafted-property.tsx'
import { draftKey, useShowsDraft } from '../../drafts/drafts.ts'
import { useDraftProblem } from '../../drafts/property-draft.ts'
import { undoChange, useUndoOf } from '../../drafts/record-acts.ts'
import { historyWords, sourceWords } from '../audit/audit-words.ts'
import { Changes } from '../audit/changes.tsx'
import { Line, UndoButton, When, Who } from './timeline-parts.tsx'

/** A change of the record, which can be undone. */
export function EntryItem({ item, of: { id: of } }: { item: EntryItemOf; of: ApiRecord }) {
  const { entry, undo } = item
  const words = undo.of === null ? historyWords(entry) : 'undid a change'
  return (
    <Line icon={undo.of === null ? iconOf(entry.action, item.kind) : <Undo2 aria-hidden />}>
      <p>
        <Who id={entry.actor?.id} name={entry.actor?.name ?? 'The command line'} />{' '}
        <span className="text-quiet">{words}</span>
        {entry.record_id !== of && <span className="text-quiet"> ({entry.record_name ?? 'a merged record'})</span>}
        <span className="text-faint"> · {sourceWords(entry)} · </span>
        <When at={item.at} />
        <UndoEntry item={item} words={words} of={of} />
      </p>
      <Changes entry={entry} of={of} />
    </Line>
  )
}

/** Undoes the change of an entry, or says that it is undone. */
function UndoEntry({ item, words, of }: { item: EntryItemOf; words: string; of: string }) {
  const { role, slug } = useWorkspace()
  const [asking, setAsking] = useState(false)
  const { entry, undo } = item
  // Who deletes a record is asked first.
  const force = entry.action === 'create'
  const record = { slug, resource: entry.resource, id: entry.record_id ?? of }
  const draft = useUndoOf(record, undo.change ?? '')
  const problem = useDraftProblem(draft)
  useShowsDraft(draft && draftKey(draft))
  const name = entry.record_name ?? 'a record'
  const start = () => void undoChange({ ...record, name }, { id: undo.change ?? '', force })
  if (undo.by !== null) return <span className="whitespace-nowrap text-faint"> · Undone</span>
  const may = roleMay(role, 'update') && (entry.action === 'update' || roleMay(role, 'delete'))
  // What was merged into the record comes back with the merge, and then has a page of its own.
  const isOfLoser = entry.record_id !== of && entry.action !== 'merge'
  if (undo.change === null || !may || isOfLoser) return null
  const question = questionOf(entry.action, entry.record_id === of)
  return (
    <>
      <UndoButton
        what={`${entry.actor?.name ?? 'the command line'} ${words}`}
        at={item.at}
        disabled={draft?.state === 'waiting'}
        onClick={() => (question ? setAsking(true) : start())}
      />
      <DraftNote own={{ draft, problem }} />
      {question && (
        <Confirm open={asking} onOpenChange={setAsking} {...question} onConfirm={async () => start()}>
          {question.text}
        </Confirm>
      )}
    </>
  )
}

type EntryItemOf = ActivityItem<'changes' | 'merges' | 'imports'>

/** What takes a record away, or brings others back, is asked for first. */
function questionOf(action: string, isOwn: boolean) {
  if (action === 'merge') {
    const text = 'The records become separate again, with their own relations.'
    return { title: 'Undo the merge?', text, action: 'Undo merge', look: 'primary' } as const
  }
  if (isOwn && (action === 'create' || action === 'restore')) {
    return { title: 'Delete this record?', text: 'It can be restored from the trash for 30 days.', action: 'Delete' }
  }
  return undefined
}

function iconOf(action: string, kind: ActivityItem['kind']): ReactNode {
  if (kind === 'merges') return <Merge aria-hidden />
  if (kind === 'imports') return <FileInput aria-hidden />
  if (action === 'create') return <Plus aria-hidden />
  return action === 'delete' ? <Trash2 aria-hidden /> : <Pencil aria-hidden />
}
