import { useState } from 'react'
import type { RecordInput } from '../../api/patch-record.ts'
import { fromLocalInput } from '../../format/moments.ts'

/** A note or a task that is being written. */
export type ActivityDraft = {
  kind: 'notes' | 'tasks'
  title: string
  body: string
  /** In the reader's time, as the input has it. */
  due: string
  /** The id of a member, or empty. */
  assignee: string
}

const fresh: ActivityDraft = { kind: 'notes', title: '', body: '', due: '', assignee: '' }

export function isEmpty({ kind, title, body }: ActivityDraft): boolean {
  return title.trim() === '' && (kind === 'tasks' || body.trim() === '')
}

/** A title of this length is short enough for lists. */
const TITLE_MAX = 80

/** What is sent. A note without a title is called like its first line. */
export function inputOf({ kind, title, body, due, assignee }: ActivityDraft): RecordInput {
  if (kind === 'tasks') {
    const assignees = assignee === '' ? {} : { assignee_ids: [assignee] }
    return { title: title.trim(), custom_fields: due === '' ? {} : { due_date: fromLocalInput(due) }, ...assignees }
  }
  const [first = ''] = body.trim().split('\n')
  const named = title.trim() || [...first.replace(/^[#>*\s-]+/, '')].slice(0, TITLE_MAX).join('') || 'Note'
  return { title: named, custom_fields: body.trim() === '' ? {} : { body } }
}

/** The browser keeps the draft until it is stored or discarded: no reload and no ended session loses it. */
export function useActivityDraft(of: string) {
  const key = `kith.activity.${of}`
  const [draft, setDraft] = useState(() => read(key))
  const change = (changes: Partial<ActivityDraft>) => {
    const next = { ...draft, ...changes }
    localStorage.setItem(key, JSON.stringify(next))
    setDraft(next)
  }
  const forget = () => {
    localStorage.removeItem(key)
    setDraft({ ...fresh, kind: draft.kind })
  }
  return { draft, change, forget }
}

function read(key: string): ActivityDraft {
  try {
    const kept: Partial<ActivityDraft> | null = JSON.parse(localStorage.getItem(key) ?? 'null')
    return { ...fresh, ...kept }
  } catch {
    return fresh
  }
}
