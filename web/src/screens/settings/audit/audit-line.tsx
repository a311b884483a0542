import type { Audited } from '@kith/contract/app/audit'
import { Link } from '@tanstack/react-router'
import { ChevronRight } from 'lucide-react'
import { useId, useState } from 'react'
import { useSlug } from '../../../api/workspace.ts'
import { classNames } from '../../../components/class-names.ts'
import { formatAgo, formatMomentExactly } from '../../../format/moments.ts'
import { isResourceName } from '../../../resources.ts'
import { UserAvatar } from '../../../user-avatar.tsx'
import { actionWords, kindWords, sourceWords, valueWords } from '../../audit/audit-words.ts'

/** One entry; what has changed in it opens at a click. */
export function AuditLine({ entry }: { entry: Audited }) {
  const [open, setOpen] = useState(false)
  const id = useId()
  const { actor, at, changes } = entry
  const isSignIn = entry.resource === 'sign_ins'
  const name = actor?.name ?? (isSignIn ? 'An unknown user' : 'The command line')
  return (
    <li className="py-2.5">
      <div className="flex items-start gap-3">
        <UserAvatar id={actor?.id} name={name} size={24} />
        <div className="min-w-0 flex-1 pt-0.5">
          <p className="text-sm wrap-anywhere">
            <span className="font-medium">{name}</span> <span className="text-quiet">{actionWords(entry)}</span>{' '}
            <Subject entry={entry} />
          </p>
          <p className="mt-0.5 text-xs text-faint">
            <time dateTime={at} title={formatMomentExactly(at)}>
              {formatAgo(at)}
            </time>{' '}
            · {sourceWords(entry)}
          </p>
        </div>
        {changes.length > 0 && (
          <button
            type="button"
            aria-expanded={open}
            aria-controls={id}
            onClick={() => setOpen(!open)}
            className="flex h-6 shrink-0 items-center gap-1 rounded-sm px-1 text-xs text-quiet hover:bg-hover"
          >
            {isSignIn ? 'Details' : changes.length === 1 ? '1 change' : `${changes.length} changes`}
            <ChevronRight aria-hidden className={classNames('size-3.5 transition-transform', open && 'rotate-90')} />
          </button>
        )}
      </div>
      {open && (
        <dl id={id} className="mt-2 ml-9 grid gap-1 rounded-md bg-sunk px-3 py-2 text-xs">
          {changes.map(({ field, label, before, after }) => (
            <div key={field} className="grid gap-x-3 sm:grid-cols-[120px_1fr]">
              <dt className="text-faint">{label}</dt>
              <dd className="wrap-anywhere">
                {!isSignIn && (
                  <>
                    <del className="line-clamp-4 text-quiet no-underline">{valueWords(before)}</del>
                    <span className="text-faint">→ </span>
                  </>
                )}
                <ins className="no-underline">{valueWords(after)}</ins>
              </dd>
            </div>
          ))}
        </dl>
      )}
    </li>
  )
}

function Subject({ entry: { action, resource, record_id, record_name } }: { entry: Audited }) {
  const slug = useSlug()
  if (resource === 'sign_ins') return action === 'sign_in' ? null : <span>as {record_name}</span>
  const { one } = kindWords(resource)
  if (record_name === null) return <span>the {one}</span>
  if (!isResourceName(resource)) {
    return (
      <span>
        <span className="text-quiet">the {one}</span> {record_name}
      </span>
    )
  }
  return (
    <>
      <span className="text-quiet">the {one}</span>{' '}
      <Link
        to="/$workspace/$resource/$id"
        params={{ workspace: slug, resource, id: record_id }}
        dir="auto"
        className="underline-offset-2 hover:underline"
      >
        {record_name}
      </Link>
    </>
  )
}
