import { RESOURCE_NAME_MAX } from '@kith/contract/limits'
import { resourceIcons } from '@kith/contract/own-resource'
import type { Resource } from '@kith/contract/resource'
import { ChevronDown } from 'lucide-react'
import { useState } from 'react'
import { createResource, schemaKey, updateResource } from '../../../api/schema.ts'
import { useSlug } from '../../../api/workspace.ts'
import { iconNamed } from '../../../chosen-icons.ts'
import { Button } from '../../../components/button.tsx'
import { Combobox } from '../../../components/combobox.tsx'
import { Input, Textarea } from '../../../components/controls.tsx'
import { Dialog } from '../../../components/dialog.tsx'
import { Popover, PopoverContent, PopoverTrigger } from '../../../components/popover.tsx'
import { TintPicker } from '../../../components/tint-picker.tsx'
import { NEW } from '../../../drafts/draft-store.ts'
import { OldDraft, useFormDraft } from '../../../drafts/form-draft.tsx'
import { Form, FormField, ProblemsAt } from '../../../forms/form.tsx'
import { useSave } from '../../../forms/save.ts'
import { ResourceIcon } from '../../../resource-icon.tsx'
import { appearanceOf, useAppearance } from '../../../resources.ts'
import { suggestionsFor } from './suggest.ts'

/** What is typed. What is absent is as the name suggests it. */
type ResourceDraft = {
  name: string
  singular?: string
  code?: string
  singular_code?: string
  description: string
  icon?: string | null
  color: string | null
}

/** Makes a resource, for which a name is enough, or changes what one is called. */
export function ResourceDialog(props: {
  resource?: Resource | undefined
  onSaved?(code: string): void
  onClose(): void
}) {
  const { resource, onSaved, onClose } = props
  const slug = useSlug()
  const companies = useAppearance('companies')
  const formDraft = useFormDraft<ResourceDraft>(
    { slug, resource: 'schemas', id: resource?.type ?? NEW, property: 'form' },
    {
      label: resource ? 'Names' : 'New resource',
      name: resource?.row.name ?? '',
      fresh: () => draftOf(resource),
      shown: ({ name, singular, description }) => ({ name, singular, description }),
    },
  )
  const { form: draft, change, isOld, startOver, remove } = formDraft
  const suggested = suggestionsFor(draft.name)
  const chosen = { ...suggested, ...draft }
  const [open, setOpen] = useState(resource !== undefined)
  const input = {
    name: draft.name.trim(),
    singular: chosen.singular.trim(),
    description: draft.description.trim() === '' ? null : draft.description.trim(),
    icon: chosen.icon,
    color: draft.color,
  }
  const codes = { code: chosen.code.trim(), singular_code: chosen.singular_code.trim() }
  const save = async (key: string) => {
    const saved = resource
      ? await updateResource(slug, resource.type, input)
      : await createResource(slug, { ...input, ...codes })
    formDraft.removeSaved(key)
    return saved
  }
  const saving = useSave(save, {
    reload: [schemaKey(slug)],
    message: ({ attributes: { name } }) => (resource ? `Saved ${name}` : `Created ${name}`),
    next: ({ id }) => {
      onClose()
      onSaved?.(id)
    },
  })
  const look = { icon: iconNamed(chosen.icon) ?? (resource && appearanceOf(resource).icon), color: draft.color }
  // What is refused can be changed.
  const isOpen = open || saving.error !== null
  return (
    <Dialog
      open
      closesAtOnce
      onOpenChange={onClose}
      title={resource ? `Edit ${resource.row.name}` : 'New resource'}
      {...(!resource && { description: `A kind of record of your own, with everything that ${companies.many} have.` })}
    >
      <Form
        saving={saving}
        onSubmit={() => saving.mutate(formDraft.key)}
        action={resource ? 'Save' : 'Create'}
        busy={resource ? 'Saving…' : 'Creating…'}
        disabled={input.name === ''}
        onCancel={() => {
          remove()
          onClose()
        }}
      >
        {isOld && <OldDraft onStartOver={startOver} />}
        <FormField label="Name" name="name" hint="Of all records, such as Projects.">
          <Input
            dir="auto"
            required
            maxLength={RESOURCE_NAME_MAX}
            value={draft.name}
            onChange={({ target }) => change({ name: target.value })}
          />
        </FormField>
        {!isOpen && input.name !== '' && (
          <p className="flex flex-wrap items-center gap-x-2 gap-y-1 text-sm text-quiet">
            {look.icon && <ResourceIcon of={{ icon: look.icon, color: look.color }} />}
            <span className="min-w-0 wrap-anywhere">
              One is called {input.singular}. In the API they are{' '}
              <code className="font-mono text-xs">{codes.code}</code>.
            </span>
            <Button size="small" look="quiet" onClick={() => setOpen(true)}>
              Change
            </Button>
          </p>
        )}
        {isOpen && (
          <>
            <FormField label="Name of one" name="singular" hint="Such as Project.">
              <Input
                dir="auto"
                required
                maxLength={RESOURCE_NAME_MAX}
                value={chosen.singular}
                onChange={({ target }) => change({ singular: target.value })}
              />
            </FormField>
            {!resource && (
              <div className="grid gap-4 sm:grid-cols-2">
                <FormField label="Code" name="code" hint="In the API. It never changes.">
                  <Input
                    required
                    spellCheck={false}
                    className="font-mono"
                    value={chosen.code}
                    onChange={({ target }) => change({ code: target.value })}
                  />
                </FormField>
                <FormField
                  label="Code of one"
                  name="singular_code"
                  hint={`As in ${codes.singular_code || 'project'}_ids.`}
                >
                  <Input
                    required
                    spellCheck={false}
                    className="font-mono"
                    value={chosen.singular_code}
                    onChange={({ target }) => change({ singular_code: target.value })}
                  />
                </FormField>
              </div>
            )}
            <fieldset className="flex items-center gap-3">
              <legend className="mb-1.5 text-xs font-medium text-quiet">Icon and colour</legend>
              <div className="min-w-0 flex-1">
                <IconPicker
                  look={{ icon: look.icon ?? iconNamed('box') ?? ChevronDown, color: look.color }}
                  icon={chosen.icon}
                  onIcon={(icon) => change({ icon })}
                />
              </div>
              <TintPicker label="Colour" tint={draft.color} onTint={(color) => change({ color })} />
            </fieldset>
            <ProblemsAt path="icon" />
            <FormField label="Description (optional)" name="description" hint="Shown where the list is empty.">
              <Textarea
                dir="auto"
                rows={2}
                value={draft.description}
                onChange={({ target }) => change({ description: target.value })}
              />
            </FormField>
          </>
        )}
      </Form>
    </Dialog>
  )
}

function draftOf(resource: Resource | undefined): ResourceDraft {
  if (!resource) return { name: '', description: '', color: null }
  const { name, singular, description, icon, color } = resource.row
  return { name, singular, description: description ?? '', icon, color }
}

/** Stands for no choice: each resource has an icon then, too. */
const USUAL = 'usual'

/** One of the icons, found by name. */
function IconPicker(props: {
  look: Parameters<typeof ResourceIcon>[0]['of']
  icon: string | null
  onIcon(icon: string | null): void
}) {
  const { look, icon, onIcon } = props
  const [open, setOpen] = useState(false)
  const label = icon === null ? 'Usual' : wordsOf(icon)
  return (
    <Popover open={open} onOpenChange={setOpen}>
      <PopoverTrigger asChild>
        <Button aria-label={`Icon: ${label}`} className="w-full">
          <ResourceIcon of={look} />
          <span className="min-w-0 flex-1 truncate text-left">{label}</span>
          <ChevronDown aria-hidden className="text-faint" />
        </Button>
      </PopoverTrigger>
      <PopoverContent aria-label="Icons" className="w-60">
        <Combobox
          label="Find an icon"
          placeholder="Find an icon"
          chosen={[icon ?? USUAL]}
          items={[
            { value: USUAL, label: 'Usual' },
            ...resourceIcons.map((name) => {
              const Icon = iconNamed(name)
              return { value: name, label: wordsOf(name), icon: Icon && <Icon aria-hidden className="text-faint" /> }
            }),
          ]}
          onPick={(picked) => {
            setOpen(false)
            onIcon(picked === USUAL ? null : picked)
          }}
        />
      </PopoverContent>
    </Popover>
  )
}

/** "credit-card" → "Credit card". */
function wordsOf(icon: string): string {
  const words = icon.replaceAll('-', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}
