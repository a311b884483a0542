import { isNamespace, NAMESPACE_RULE } from '@kith/contract/external-ids'
import { roleMay } from '@kith/contract/permissions'
import type { Resource } from '@kith/contract/resource'
import { ChevronDown, CircleSlash, Fingerprint, Plus } from 'lucide-react'
import { type FormEvent, Suspense, useState } from 'react'
import { useWorkspace } from '../../api/workspace.ts'
import { Button } from '../../components/button.tsx'
import { chunk } from '../../components/chunk.tsx'
import { classNames, tints } from '../../components/class-names.ts'
import { Combobox } from '../../components/combobox.tsx'
import { Input } from '../../components/controls.tsx'
import { Dialog, DialogActions } from '../../components/dialog.tsx'
import { Popover, PopoverContent, PopoverTrigger } from '../../components/popover.tsx'
import { FormField } from '../../forms/form.tsx'
import type { ImportDraft } from './draft.ts'
import { labelOf, targetItems } from './target-words.ts'

const FieldSheet = chunk(async () => (await import('../settings/fields/field-sheet.tsx')).FieldSheet)

/** Chooses where a column goes: to something that exists, to a new field, or nowhere. */
export function TargetPicker(props: {
  draft: ImportDraft
  resource: Resource
  index: number
  onTarget(target: string | null): void
}) {
  const { draft, resource, index, onTarget } = props
  const [open, setOpen] = useState(false)
  const [making, setMaking] = useState<'field' | 'namespace'>()
  const { role } = useWorkspace()
  const mayCreate = roleMay(role, 'manage_fields')
  const name = draft.scanned.header[index] ?? ''
  const target = draft.targets[index] ?? null
  const label = target === null ? 'Not imported' : labelOf(target, resource)
  const pick = (value: string) => {
    setOpen(false)
    if (value === 'field' || value === 'namespace') setMaking(value)
    else onTarget(value === 'none' ? null : value)
  }
  return (
    <>
      <Popover open={open} onOpenChange={setOpen}>
        <PopoverTrigger asChild>
          <Button aria-label={`${name} goes to: ${label}`} className="w-full min-w-0">
            <span className={classNames('min-w-0 flex-1 truncate text-left', target === null && 'text-faint')}>
              {label}
            </span>
            <ChevronDown aria-hidden className="text-faint" />
          </Button>
        </PopoverTrigger>
        <PopoverContent className="w-72">
          <Combobox
            label={`Where ${name} goes`}
            placeholder="Find a field"
            chosen={target === null ? ['none'] : [target]}
            onPick={pick}
            {...(mayCreate ? {} : { footer: <Forbidden /> })}
            items={[
              { value: 'none', label: "Don't import", icon: <CircleSlash aria-hidden className="text-faint" /> },
              ...(mayCreate
                ? [{ value: 'field', label: 'New field …', icon: <Plus aria-hidden className="text-faint" /> }]
                : []),
              {
                value: 'namespace',
                label: 'ID in another program …',
                icon: <Fingerprint aria-hidden className="text-faint" />,
              },
              ...targetItems(resource, draft.targets),
            ]}
          />
        </PopoverContent>
      </Popover>
      {making === 'namespace' && (
        <NamespaceDialog
          column={name}
          onClose={() => setMaking(undefined)}
          onNamespace={(namespace) => {
            setMaking(undefined)
            onTarget(`external_ids.${namespace}`)
          }}
        />
      )}
      {making === 'field' && (
        <Suspense>
          <FieldSheet
            resource={resource.type}
            start={newField(draft, index)}
            onSaved={({ code }) => onTarget(`custom_fields.${code}`)}
            onClose={() => setMaking(undefined)}
          />
        </Suspense>
      )}
    </>
  )
}

/** Says why no field can be created here. */
function Forbidden() {
  return (
    <p className="border-t border-line px-3 py-2 text-xs text-quiet">
      Is a field missing? Owners and admins can create it.
    </p>
  )
}

/** A field with the name of the column and the type that fits its values. */
function newField({ scanned }: ImportDraft, index: number) {
  const type = scanned.contents[index]?.type ?? 'text'
  const values = type === 'select' ? (scanned.columns[index]?.values ?? []) : []
  const options = values.map((label, at) => ({ key: label, label, color: tints[at % tints.length] ?? 'gray' }))
  return { type, draft: { name: scanned.header[index] ?? '', options } }
}

/** Asks which program the ids of a column belong to. */
function NamespaceDialog(props: { column: string; onNamespace(namespace: string): void; onClose(): void }) {
  const { column, onNamespace, onClose } = props
  const [name, setName] = useState('')
  const [problem, setProblem] = useState<string>()
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const namespace = name.trim().toLowerCase()
    if (isNamespace(namespace)) onNamespace(namespace)
    else setProblem(NAMESPACE_RULE)
  }
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title="ID in another program"
      description={`The values of ${column} are kept as external ids, so that records can be found by them.`}
    >
      <form onSubmit={submit}>
        <FormField
          label="Name of the program"
          hint="Such as hubspot. It is the namespace in the API."
          errors={problem === undefined ? undefined : [problem]}
        >
          <Input value={name} onChange={({ target }) => setName(target.value)} spellCheck={false} required />
        </FormField>
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary">
            Use these IDs
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
