import type { TargetContext } from '@kith/contract/import/target'
import { registry } from '@kith/contract/registry'
import { useNavigate } from '@tanstack/react-router'
import { FileSpreadsheet, Sparkles } from 'lucide-react'
import { useState } from 'react'
import { messageOf } from '../../api/problems.ts'
import { useSlug } from '../../api/workspace.ts'
import { Button } from '../../components/button.tsx'
import { FormProblem } from '../../components/form-problem.tsx'
import { Select } from '../../components/select.tsx'
import { showToast } from '../../components/toast-store.ts'
import { formatCount } from '../../format/numbers.ts'
import { appearances } from '../../resources.ts'
import { forgetChoices } from './columns/earlier-choices.ts'
import type { Draft } from './draft.ts'
import { keepDraft } from './draft-store.ts'
import { type FoundPreset, presetsFor } from './presets/presets.ts'
import { recognise } from './recognise.ts'

type Props = { draft: Draft; context: TargetContext }

/** Which file it is, which of its sheets, and which program wrote it. */
export function FileLine({ draft, context }: Props) {
  const slug = useSlug()
  const { type } = context.resource
  const { file, scanned, sheet } = draft
  const [problem, setProblem] = useState<string>()
  const choose = async (chosen: string) => {
    setProblem(undefined)
    try {
      keepDraft(slug, type, await recognise({ slug, file, sheet: Number(chosen) }, context))
    } catch (error) {
      setProblem(`${file.sheets[Number(chosen)]}: ${messageOf(error)}`)
    }
  }
  const forget = () => {
    forgetChoices(slug, type)
    return choose(String(sheet))
  }
  return (
    <section aria-label="File">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <p className="flex max-w-full min-w-0 items-center gap-2 text-sm max-sm:flex-wrap">
          <FileSpreadsheet aria-hidden className="size-4 shrink-0 text-faint" />
          <span dir="auto" className="min-w-0 truncate font-medium" title={file.name}>
            {file.name}
          </span>
          <span className="shrink-0 text-faint">
            {formatCount(scanned.total, 'row')} · {formatCount(scanned.header.length, 'column')}
          </span>
        </p>
        {file.sheets.length > 1 && (
          <Select
            label="Sheet"
            value={String(sheet)}
            onValueChange={choose}
            className="w-44"
            choices={file.sheets.map((name, index) => ({ value: String(index), label: name }))}
          />
        )}
        <Button size="small" look="quiet" onClick={() => keepDraft(slug, type, undefined)}>
          Another file
        </Button>
      </div>
      <Recognised draft={draft} context={context} />
      {hasChoices(draft) && <Chosen onForget={forget} />}
      {draft.notes.map((note) => (
        <p key={note} className="mt-1 text-sm text-quiet">
          {note}
        </p>
      ))}
      <div className="mt-2">
        <FormProblem text={problem} />
      </div>
    </section>
  )
}

function hasChoices({ picked, chosen }: Draft): boolean {
  return Object.keys(picked).length > 0 || Object.keys(chosen).length > 0
}

/** Choices outlive the page, so there is a way back to what was recognised. */
function Chosen({ onForget }: { onForget(): void }) {
  return (
    <p className="mt-1 flex flex-wrap items-center gap-x-3 text-sm text-quiet">
      Your choices are kept for files with these columns.
      <Button size="small" look="quiet" onClick={onForget}>
        Recognise again
      </Button>
    </p>
  )
}

/** Says that the export of another program was recognised, also if it belongs into another list. */
function Recognised({ draft, context }: Props) {
  const found = presetsFor(draft.scanned.header)
  const own = found.find(({ resource }) => resource === context.resource.type)
  const [preset] = own ? [own] : found
  if (!preset) return null
  return (
    <p className="mt-2 flex flex-wrap items-center gap-1.5 text-sm text-quiet">
      <Sparkles aria-hidden className="size-4 shrink-0 text-accent" />
      {own
        ? `Recognised as an export from ${preset.product}. Its columns are mapped.`
        : `This looks like ${appearances[preset.resource].many.toLowerCase()} exported from ${preset.product}.`}
      {!own && <ImportAs preset={preset} draft={draft} context={context} />}
    </p>
  )
}

function ImportAs({ preset: { resource }, draft, context }: Props & { preset: FoundPreset }) {
  const slug = useSlug()
  const navigate = useNavigate()
  const { file, sheet } = draft
  const move = async () => {
    try {
      const moved = await recognise({ slug, file, sheet }, { ...context, resource: registry[resource] })
      keepDraft(slug, resource, moved)
      keepDraft(slug, context.resource.type, undefined)
      await navigate({ to: '/$workspace/$resource/import', params: { workspace: slug, resource } })
    } catch (error) {
      showToast({ tone: 'danger', message: messageOf(error) })
    }
  }
  return (
    <Button size="small" onClick={move}>
      Import as {appearances[resource].many.toLowerCase()}
    </Button>
  )
}
