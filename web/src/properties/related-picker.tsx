import { newId } from '@kith/contract/id'
import { roleMay } from '@kith/contract/permissions'
import type { RelatedType } from '@kith/contract/resource'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { ArrowUpRight, Plus } from 'lucide-react'
import { useState } from 'react'
import { problemsOf } from '../api/problems.ts'
import { createNamed, refreshRecords } from '../api/records.ts'
import { useSchema } from '../api/schema.ts'
import { useSlug, useWorkspace } from '../api/workspace.ts'
import { Combobox, type ComboboxItem } from '../components/combobox.tsx'
import { showToast } from '../components/toast-store.ts'
import { useEdited } from '../fields/edit-state.tsx'
import { SaveLine, ValuePopover } from '../fields/value-popover.tsx'
import { appearanceIn } from '../resources.ts'
import { RecordLink } from './record-link.tsx'
import type { RelatedRecord } from './related.ts'
import { useRelatedChoices } from './related-choices.ts'
import { RelatedAvatar } from './related-name.tsx'

/** Finds members or records by name and picks from them. A record that is missing is created by its name. */
export function RelatedPicker(props: {
  label: string
  to: RelatedType
  /** How many may be chosen. Several are saved together when the list closes. */
  most?: number
  /** Whether a missing record can be created here. */
  creates?: boolean
  /** Ids that are not offered. */
  without?: readonly string[]
  chosen: readonly RelatedRecord[]
  onSave(related: readonly RelatedRecord[]): void
  onType(related: readonly RelatedRecord[]): void
  onLeave(): void
  onCancel(): void
}) {
  const { label, to, most = 1, creates = true, without: hidden = [], chosen: known } = props
  const { onSave, onType, onLeave, onCancel } = props
  const [chosen, setChosen] = useEdited(known)
  const [text, setText] = useState('')
  const { choices: all, ...found } = useRelatedChoices(to, text)
  const choices = all.filter(({ id }) => !hidden.includes(id))
  const listed =
    text === '' ? [...chosen, ...choices.filter(({ id }) => !chosen.some((one) => one.id === id))] : choices
  const save = (next: readonly RelatedRecord[]) => {
    if (most === 1) return onSave(next)
    setChosen(next)
    onType(next)
  }
  const add = (one: RelatedRecord) => save(most === 1 ? [one] : [...chosen, one])
  const creation = useCreation(to, {
    typed: text,
    isOffered: creates && !found.busy && found.problem === undefined && !listed.some(({ name }) => isSame(name, text)),
    onCreated: (created) => {
      setText('')
      add(created)
    },
  })
  const isFull = most > 1 && chosen.length >= most
  const pick = (id: string) => {
    const picked = listed.find((one) => one.id === id)
    const without = chosen.filter((one) => one.id !== id)
    if (id === CREATE) {
      if (!isFull) creation.create()
    } else if (without.length < chosen.length) save(without)
    else if (picked && !isFull) add(picked)
  }
  const same = chosen.map(({ id }) => id).join() === known.map(({ id }) => id).join()
  const close = () => (most > 1 && !same ? onSave(chosen) : onLeave())
  return (
    <ValuePopover label={label} onClose={close} onCancel={onCancel} className="w-68">
      <Combobox
        label={`Choose ${label}`}
        placeholder={label}
        items={[...listed.map(itemOf), ...creation.items]}
        chosen={chosen.map(({ id }) => id)}
        onPick={pick}
        search={{ text, onText: setText, ...found, problem: creation.problem ?? found.problem }}
        footer={(highlighted) => (
          <Footer
            note={isFull ? `At most ${most}.` : undefined}
            onSave={most > 1 ? close : undefined}
            record={to === 'users' ? undefined : listed.find(({ id }) => id === highlighted)}
          />
        )}
      />
    </ValuePopover>
  )
}

const CREATE = 'create'

function itemOf({ id, type, name, detail }: RelatedRecord): ComboboxItem {
  const icon = <RelatedAvatar related={{ id, type, name }} />
  return { value: id, label: name, ...(detail === undefined ? {} : { detail }), icon }
}

function isSame(name: string, typed: string): boolean {
  return name.trim().toLowerCase() === typed.trim().toLowerCase()
}

/** The last item of the list: a new record with the typed name. */
function useCreation(
  to: RelatedType,
  options: { typed: string; isOffered: boolean; onCreated(created: RelatedRecord): void },
) {
  const { typed, isOffered, onCreated } = options
  const slug = useSlug()
  const schema = useSchema()
  const queries = useQueryClient()
  const { role } = useWorkspace()
  const name = typed.trim()
  // The same name is sent with the same key, so that an attempt without an answer is not repeated.
  const [attempt, setAttempt] = useState({ name: '', key: '' })
  const resource = schema.get(to)
  const creating = useMutation({
    mutationFn: (key: string) => createNamed(slug, { resource: to, label: resource?.label ?? 'name', name, key }),
    onSuccess: (created) => {
      showToast({ message: `Created ${name}` })
      onCreated({ id: created.id, type: to, name })
      void refreshRecords(queries, slug, to)
    },
  })
  const one = appearanceIn(schema, to).one
  const mayCreate = resource !== undefined && roleMay(role, 'create')
  const item: ComboboxItem = {
    value: CREATE,
    label: creating.isPending ? `Creating “${name}”…` : `Create ${one} “${name}”`,
    icon: <Plus aria-hidden className="text-faint" />,
  }
  return {
    items: mayCreate && isOffered && name !== '' ? [item] : [],
    problem:
      creating.error && attempt.name === name ? `Not created: ${problemsOf(creating.error, []).general}` : undefined,
    create() {
      if (creating.isPending) return
      const key = attempt.name === name ? attempt.key : newId(Date.now())
      setAttempt({ name, key })
      creating.mutate(key)
    },
  }
}

/** Leads to the page of the highlighted record. */
function Footer(props: {
  note: string | undefined
  record: RelatedRecord | undefined
  onSave: (() => void) | undefined
}) {
  const { note, record, onSave } = props
  if (note === undefined && !record && !onSave) return null
  const shown = (
    <>
      {record && (
        <RecordLink
          resource={record.type}
          id={record.id}
          tabIndex={0}
          className="flex min-w-0 flex-1 items-center gap-1 rounded-sm hover:text-ink hover:underline"
        >
          <span className="truncate">Open {record.name}</span>
          <ArrowUpRight aria-hidden className="size-3.5 shrink-0" />
        </RecordLink>
      )}
      {note !== undefined && <span className="shrink-0">{note}</span>}
    </>
  )
  if (onSave) return <SaveLine onSave={onSave}>{shown}</SaveLine>
  return (
    <div className="flex min-w-0 items-center gap-2 border-t border-line px-3 py-1.5 text-xs text-quiet">{shown}</div>
  )
}
