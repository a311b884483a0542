import { targetOf } from '@kith/contract/field-types/reference'
import { type ImportTarget, parseTarget } from '@kith/contract/import/target'
import { type Resource, type ResourceName, resourceIn } from '@kith/contract/resource'
import { useNavigate } from '@tanstack/react-router'
import { FileSpreadsheet, Sparkles } from 'lucide-react'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { messageOf } from '../../api/problems.ts'
import type { RecordPage } from '../../api/records.ts'
import { useSlug } from '../../api/workspace.ts'
import { Button } from '../../components/button.tsx'
import { Select } from '../../components/select.tsx'
import { showToast } from '../../components/toast-store.ts'
import { formatCount } from '../../format/numbers.ts'
import { FormProblem } from '../../forms/form.tsx'
import { appearanceIn } from '../../resources.ts'
import { removeChoices, withEarlierChoices } from './columns/earlier-choices.ts'
import { type ImportDraft, startDraft } from './draft.ts'
import { keepDraft } from './draft-store.ts'
import { type PresetMatch, presetsFor } from './presets/presets.ts'
import type { OpenFile } from './reading/open-file.ts'

type Props = { draft: ImportDraft; resource: Resource }

/** Which file it is, which of its sheets, and which program wrote it. */
export function FileLine({ draft, resource }: Props) {
  const slug = useSlug()
  const { type } = resource
  const { file, scanned, sheet } = draft
  const [problem, setProblem] = useState<string>()
  const choose = async (chosen: string) => {
    setProblem(undefined)
    try {
      keepDraft(slug, type, await recognise({ slug, file, sheet: Number(chosen) }, resource))
    } catch (error) {
      setProblem(`${file.sheets[Number(chosen)]}: ${messageOf(error)}`)
    }
  }
  const startAgain = () => {
    removeChoices(slug, type)
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
            className="w-44!"
            choices={file.sheets.map((name, index) => ({ value: String(index), label: name }))}
          />
        )}
        <Button size="small" look="quiet" onClick={() => keepDraft(slug, type, undefined)}>
          Another file
        </Button>
      </div>
      <Recognised draft={draft} resource={resource} />
      {hasChoices(draft) && <Chosen onStartAgain={startAgain} />}
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

function hasChoices({ picked, chosen }: ImportDraft): boolean {
  return Object.keys(picked).length > 0 || Object.keys(chosen).length > 0
}

/** Choices outlive the page, so there is a way back to the recognised ones. */
function Chosen({ onStartAgain }: { onStartAgain(): void }) {
  return (
    <p className="mt-1 flex flex-wrap items-center gap-x-3 text-sm text-quiet">
      Your choices are kept for files with these columns.
      <Button size="small" look="quiet" onClick={onStartAgain}>
        Recognise again
      </Button>
    </p>
  )
}

/** Says that the export of another program was recognised, also if it belongs into another list. */
function Recognised({ draft, resource }: Props) {
  const found = presetsFor(draft.scanned.header)
  const own = found.find((preset) => preset.resource === resource.type)
  const [preset] = own ? [own] : found
  if (!preset) return null
  return (
    <p className="mt-2 flex flex-wrap items-center gap-1.5 text-sm text-quiet">
      <Sparkles aria-hidden className="size-4 shrink-0 text-accent" />
      {own
        ? `Recognised as an export from ${preset.product}. Its columns are mapped.`
        : `This looks like ${appearanceIn(resource.schema, preset.resource).many} exported from ${preset.product}.`}
      {!own && <ImportAs preset={preset} draft={draft} resource={resource} />}
    </p>
  )
}

function ImportAs({ preset, draft, resource }: Props & { preset: PresetMatch }) {
  const slug = useSlug()
  const navigate = useNavigate()
  const { file, sheet } = draft
  const to = preset.resource
  const move = async () => {
    try {
      const moved = await recognise({ slug, file, sheet }, resourceIn(resource.schema, to))
      keepDraft(slug, to, moved)
      keepDraft(slug, resource.type, undefined)
      await navigate({ to: '/$workspace/$resource/import', params: { workspace: slug, resource: to } })
    } catch (error) {
      showToast({ tone: 'danger', message: messageOf(error) })
    }
  }
  return (
    <Button size="small" onClick={move}>
      Import as {appearanceIn(resource.schema, to).many}
    </Button>
  )
}

/** Reads a sheet and recognises its columns. */
export async function recognise(
  { slug, file, sheet }: { slug: string; file: OpenFile; sheet: number },
  resource: Resource,
): Promise<ImportDraft> {
  const draft = startDraft(file, { sheet, scanned: await file.scan(sheet) }, resource)
  return withEarlierChoices(await withoutUnknown(draft, slug, resource), slug, resource)
}

const EXTERNAL = 'external_ids.'

/** The resource whose records a target names. */
function relatedBy(target: ImportTarget): ResourceName | undefined {
  const to = target.kind === 'field' ? targetOf(target.field) : 'to' in target ? target.to : 'users'
  return to === 'users' || to === '' ? undefined : to
}

/**
 * Leaves out references by ids of another program that no record has: every row would fail. The companies of a program
 * are often imported after its people, or not at all.
 */
async function withoutUnknown(draft: ImportDraft, slug: string, resource: Resource): Promise<ImportDraft> {
  let { targets, notes } = draft
  for (const [index, name] of draft.targets.entries()) {
    const target = name === null ? undefined : parseTarget(name, resource)
    const to = target && relatedBy(target)
    if (!target || !to || !('by' in target) || !target.by?.startsWith(EXTERNAL)) continue
    const namespace = target.by.slice(EXTERNAL.length)
    if (await hasAny(slug, to, namespace)) continue
    const { many } = appearanceIn(resource.schema, to)
    const column = draft.scanned.header[index] ?? ''
    targets = targets.with(index, null)
    notes = [
      ...notes,
      `${column} is left out: no ${many} from ${namespace} are here yet. Import them first to link them.`,
    ]
  }
  return { ...draft, targets, notes }
}

async function hasAny(slug: string, resource: ResourceName, namespace: string): Promise<boolean> {
  const filter = { external_ids: { [namespace]: { $is_empty: false } } }
  const body = { filter, per_page: 1 }
  const { meta } = await call<RecordPage>('POST', `/w/${slug}/v1/${resource}/query`, { body })
  return meta.total > 0
}
