import type { ManagedField } from '@kith/contract/app/fields'
import { Check, Copy } from 'lucide-react'
import { useState } from 'react'
import { copyText } from '../../../components/copy-text.ts'
import { Pill } from '../../../components/pill.tsx'
import { Tooltip } from '../../../components/tooltip.tsx'
import { fieldViews } from '../../../fields/field-views.ts'
import { formatNumber } from '../../../format/numbers.ts'
import { FieldMenu } from './field-menu.tsx'

type Props = { field: ManagedField; may: boolean; onEdit: (() => void) | undefined }

/** A field on a line: its name leads to its form, its code is copied at a click. */
export function FieldLine({ field, may, onEdit }: Props) {
  const { icon: Icon, name: typeName } = fieldViews[field.type]
  return (
    <>
      <Icon aria-hidden className="ml-1 size-4 shrink-0 text-faint" />
      <div className="flex min-h-11 min-w-0 flex-1 flex-wrap items-center gap-x-1.5 gap-y-0.5 py-1.5 pl-1">
        {may && onEdit ? (
          <button
            type="button"
            onClick={onEdit}
            className="max-w-full truncate rounded-sm text-left text-sm font-medium hover:underline"
          >
            {field.name}
          </button>
        ) : (
          <span className="max-w-full truncate text-sm font-medium">{field.name}</span>
        )}
        <FieldCode code={field.code} />
        <span className="flex gap-1">
          {field.required && <Pill tint="amber">Required</Pill>}
          {field.unique && <Pill tint="blue">Unique</Pill>}
          {field.system && (
            <Tooltip text="A system field. You can rename and move it, but not archive it.">
              <span>
                <Pill>System</Pill>
              </span>
            </Tooltip>
          )}
        </span>
      </div>
      <span className="hidden w-28 shrink-0 truncate text-sm text-quiet sm:block">{typeName}</span>
      <span data-numeric className="hidden w-20 shrink-0 text-right text-xs text-faint md:block">
        {field.values === null ? '' : field.values === 1 ? '1 value' : `${formatNumber(field.values)} values`}
      </span>
      {may ? <FieldMenu field={field} onEdit={onEdit} /> : <span className="w-2" />}
    </>
  )
}

function FieldCode({ code }: { code: string }) {
  const [copied, setCopied] = useState(false)
  const copy = async () => {
    await copyText(code)
    setCopied(true)
    setTimeout(() => setCopied(false), 1600)
  }
  const Icon = copied ? Check : Copy
  return (
    <button
      type="button"
      onClick={copy}
      aria-label={copied ? `Copied ${code}` : `Copy the code ${code}`}
      className="group relative inline-flex max-w-full min-w-0 items-center rounded-sm px-1 py-0.5 font-mono text-xs text-faint hover:bg-hover hover:text-ink"
    >
      <span className="truncate">{code}</span>
      {/* It lies over the end of the code, so that it takes no room while it is not seen. */}
      <span className="absolute inset-y-0 right-0 grid w-5 place-items-center rounded-sm bg-hover opacity-0 group-hover:opacity-100 group-focus-visible:opacity-100">
        <Icon aria-hidden className="size-3" />
      </span>
    </button>
  )
}
